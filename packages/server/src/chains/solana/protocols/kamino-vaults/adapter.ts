import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  type AccountLayout,
  anchorLayout,
  invalid,
  ofKind,
  openAccount,
  openExisting,
  places,
  struct,
} from '../../codec/account-data.ts'
import { addressBytes } from '../../codec/address.ts'
import type { SolanaClock } from '../../codec/clock.ts'
import { isOnCurve } from '../../codec/ed25519-curve.ts'
import { mintsAmong } from '../../codec/token-program.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import { type Accounts, readAccounts } from '../account-reads.ts'
import type { MintLeads, SolanaAdapter } from '../adapter.ts'
import { shareIn } from '../amounts.ts'
import { kaminoReserve, RESERVE } from '../kamino-reserve.ts'
import { isFungible, readShareTokens, type Share, type ShareScope } from '../share-tokens.ts'

const PROGRAM: SolanaAddress = 'KvauGMspG5k6rtzrqqn7WNn3oZdyKqLKwK2XWQ8FLjd'

const VAULT = anchorLayout('vault of Kamino', PROGRAM, 'fGKsWeCxBaF', 62_552)
const SHARES_MINT = 184
/** `…Sf`: times 2^60. */
const vaultFields = struct({
  token: ['key', 80],
  sharesMint: ['key', SHARES_MINT],
  available: ['u64', 224],
  shares: ['u64', 232],
  pendingFeesSf: ['u128', 296],
})
const ALLOCATIONS = places({ from: 312, count: 25, size: 2_160 })
const allocationFields = struct({ reserve: ['key', 0], collateral: ['u64', 1_104] })
const NAME = 58_528
const NAME_BYTES = 40
const FRACTION_BITS = 60n
/** Searches request only these bytes of each vault. */
const HEAD: AccountLayout = { ...VAULT, minLength: SHARES_MINT + 32 }

/**
 * Accrued to the clock's slot, less fees owed to the manager, before a penalty for leaving. Shares do not lead to a
 * vault: the heads of all vaults are searched.
 */
export function createKaminoVaults(leads: MintLeads = new Map()): SolanaAdapter {
  async function readShares({ reader, held, clock }: ShareScope): Promise<ReadonlyMap<SolanaAddress, Share>> {
    const mints = held.filter(isFungible).map(({ mint }) => mint)
    await locate(
      reader,
      mints.filter((mint) => leads.get(mint) === undefined),
    )
    const shares = mints.flatMap((mint) => {
      const vault = leads.get(mint)?.['vault']
      return vault ? [{ mint, vault }] : []
    })
    return readVaults(reader, shares, clock)
  }

  async function locate(reader: SolanaReader, unseen: readonly SolanaAddress[]): Promise<void> {
    const found = mintsAmong(await reader.accounts(unseen))
    const isMintedByProgram = [...found.values()].some(({ authority }) => isOfProgram(authority))
    const heads = isMintedByProgram
      ? await reader.programAccounts(PROGRAM, [ofKind(VAULT.discriminator)], HEAD.minLength)
      : []
    const vaults = new Map(heads.map((head) => [openAccount(head, HEAD).key(SHARES_MINT), head.address]))
    for (const mint of found.keys()) {
      const vault = vaults.get(mint)
      leads.set(mint, vault === undefined ? null : { vault })
    }
  }

  return {
    name: 'kamino_vaults',
    key: 'kamino_vaults',
    title: 'Kamino Vaults',
    siteUrl: 'https://kamino.com',
    ...readShareTokens('yield', readShares),
  }
}

/** No key can sign for a program's authority. */
const isOfProgram = (authority: SolanaAddress | undefined) =>
  authority !== undefined && !isOnCurve(addressBytes(authority))

async function readVaults(
  reader: SolanaReader,
  shares: readonly { mint: SolanaAddress; vault: SolanaAddress }[],
  clock: SolanaClock,
): Promise<Map<SolanaAddress, Share>> {
  const found = await readAccounts(
    reader,
    shares.map(({ vault }) => vault),
  )
  const vaults = shares.map(({ mint, vault }) => ({ mint, vault: openExisting(found.get(vault), VAULT) }))
  const named = vaults.flatMap(({ vault }) => lentBy(vault).map(({ reserve }) => reserve))
  const reserves = await readAccounts(reader, named)
  return new Map(vaults.map(({ mint, vault }) => [mint, shareOf(vault, mint, { reserves, clock })]))
}

function lentBy(vault: AccountData): { reserve: SolanaAddress; collateral: bigint }[] {
  return ALLOCATIONS.map((at) => allocationFields(vault, at)).filter(
    ({ reserve, collateral }) => reserve !== NATIVE_SOL && collateral > 0n,
  )
}

function shareOf(
  vault: AccountData,
  mint: SolanaAddress,
  { reserves, clock }: { reserves: Accounts; clock: SolanaClock },
): Share {
  const { token, sharesMint, available, shares, pendingFeesSf } = vaultFields(vault)
  if (sharesMint !== mint) throw invalid(VAULT.what, vault.address, 'is of other shares')
  const lent = lentBy(vault).reduce((sum, { reserve: address, collateral }) => {
    const reserve = kaminoReserve(openExisting(reserves.get(address), RESERVE), clock.slot)
    if (reserve.mint !== token) throw invalid(VAULT.what, vault.address, 'lends another token than its own')
    return sum + reserve.redeemed(collateral)
  }, 0n)
  const ownSf = ((available + lent) << FRACTION_BITS) - pendingFeesSf
  if (shares === 0n || ownSf < 0n) throw invalid(VAULT.what, vault.address, 'owes more than it has, or has no shares')
  const receipt = shareIn(token, ownSf, shares << FRACTION_BITS)
  return { label: vault.text(NAME, NAME_BYTES) || 'Vault', pool: vault.address, receipt }
}
