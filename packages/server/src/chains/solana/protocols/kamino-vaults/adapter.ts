import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountOf, anchorLayout, invalid, list } from '../../codec/account-data.ts'
import { addressBytes } from '../../codec/address.ts'
import { isOnCurve } from '../../codec/ed25519-curve.ts'
import { mintAuthorities } from '../../codec/token-program.ts'
import { readAccounts, readAll } from '../account-reads.ts'
import type { MintLeads, SolanaAdapter } from '../adapter.ts'
import { shareIn } from '../amounts.ts'
import { type KaminoReserve, kaminoReserve } from '../kamino-reserve.ts'
import {
  fungibleMints,
  listPools,
  readShareTokens,
  type Share,
  type ShareScope,
  withLeads,
  withoutLeads,
} from '../share-tokens.ts'

const PROGRAM: SolanaAddress = 'KvauGMspG5k6rtzrqqn7WNn3oZdyKqLKwK2XWQ8FLjd'
const FRACTION_BITS = 60n

/** `…Sf`: times 2^60. */
const VAULT = anchorLayout('vault of Kamino', PROGRAM, 'fGKsWeCxBaF', 62_552, {
  token: ['key', 80],
  sharesMint: ['key', 184],
  available: ['u64', 224],
  shares: ['u64', 232],
  pendingFeesSf: ['u128', 296],
  lent: list({ from: 312, count: 25, size: 2_160 }, { reserve: ['key', 0], collateral: ['u64', 1_104] }),
  name: ['text', 58_528, 40],
})
type Vault = AccountOf<typeof VAULT>

/** Searches request only these bytes of each vault. */
const HEAD = { ...VAULT, minLength: 216 }

/** Accrued to the clock's slot, less the manager's fees, before a penalty for leaving. Shares do not lead to a vault. */
export const kaminoVaults: SolanaAdapter = {
  key: 'kamino_vaults',
  title: 'Kamino Vaults',
  siteUrl: 'https://kamino.com',
  ...readShareTokens('yield', readShares),
}

async function readShares(scope: ShareScope): Promise<Map<SolanaAddress, Share>> {
  const { reader, clock } = scope
  const leads = scope.found.leads('kamino_vaults')
  const mints = fungibleMints(scope.held)
  await locate(scope, mints, leads)
  const located = withLeads(mints, leads).map(({ mint, lead }) => ({ mint, vault: lead['vault'] ?? '' }))
  const named = located.map(({ vault }) => vault)
  const vaultOf = await readAll(reader, VAULT, named)
  const vaults = located.map(({ mint, vault: at }) => {
    const { lent, ...vault } = vaultOf(at)
    if (vault.sharesMint !== mint) throw invalid(VAULT.what, at, 'is of other shares')
    return { ...vault, lent: lent.filter(({ reserve, collateral }) => reserve !== NATIVE_SOL && collateral > 0n) }
  })
  const reserves = await readAccounts(
    reader,
    vaults.flatMap(({ lent }) => lent.map(({ reserve }) => reserve)),
  )
  const reserveOf = (address: SolanaAddress) => kaminoReserve(reserves.get(address), clock.slot)
  return new Map(vaults.map((vault) => [vault.sharesMint, shareOf(vault, reserveOf)]))
}

async function locate({ reader }: ShareScope, mints: readonly SolanaAddress[], leads: MintLeads): Promise<void> {
  const found = mintAuthorities(await reader.accounts(withoutLeads(mints, leads)))
  // No key can sign for a program's authority.
  const isMintedByProgram = [...found.values()].some(
    (authority) => authority !== undefined && !isOnCurve(addressBytes(authority)),
  )
  const vaults = isMintedByProgram ? await listPools(reader, PROGRAM, HEAD) : undefined
  for (const mint of found.keys()) {
    const vault = vaults?.get(mint)
    leads.set(mint, vault === undefined ? null : { vault })
  }
}

function shareOf(vault: Vault, reserveOf: (address: SolanaAddress) => KaminoReserve): Share {
  const { address, token, available, shares, pendingFeesSf, name } = vault
  const lent = vault.lent.reduce((sum, { reserve: at, collateral }) => {
    const reserve = reserveOf(at)
    if (reserve.mint !== token) throw invalid(VAULT.what, address, 'lends another token than its own')
    return sum + reserve.redeemed(collateral)
  }, 0n)
  const ownSf = ((available + lent) << FRACTION_BITS) - pendingFeesSf
  if (shares === 0n || ownSf < 0n) throw invalid(VAULT.what, address, 'owes more than it has, or has no shares')
  return { label: name || 'Vault', pool: address, ...shareIn(token, ownSf, shares << FRACTION_BITS) }
}
