import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  type AccountLayout,
  invalid,
  ofKind,
  openAccount,
  openExisting,
} from '../../codec/account-data.ts'
import type { SolanaAccount } from '../../codec/solana-account.ts'
import type { SolanaClock, SolanaReader } from '../../reader/solana-reader.ts'
import type { MintLeads, SolanaFamily } from '../family.ts'
import { kaminoReserve, RESERVE } from '../kamino-reserve.ts'
import { isFungible, readShareTokens, type Share, type ShareScope } from '../share-tokens.ts'

const PROGRAM: SolanaAddress = 'KvauGMspG5k6rtzrqqn7WNn3oZdyKqLKwK2XWQ8FLjd'

const VAULT = {
  what: 'vault of Kamino',
  programs: [PROGRAM],
  discriminator: 'fGKsWeCxBaF',
  minLength: 62_552,
} satisfies AccountLayout

/** `…Sf`: times 2^60. `allocations`: 25 of them, one a reserve. */
const field = {
  token: 80,
  sharesMint: 184,
  available: 224,
  shares: 232,
  pendingFeesSf: 296,
  allocations: 312,
  name: 58_528,
} as const
const ALLOCATIONS = 25
const allocationField = { reserve: 0, collateral: 1_104, size: 2_160 } as const
const NAME_BYTES = 40
const FRACTION_BITS = 60n
/** The bytes of each vault that a search requests: up to the mint of its shares. */
const HEAD: AccountLayout = { ...VAULT, minLength: field.sharesMint + 32 }

/**
 * Kamino's vaults: a share stands for its part of the vault's own tokens and of those lent to reserves of Kamino Lend,
 * accrued to the slot of the clock, less the fees owed to its manager, before a penalty that a vault may charge for
 * leaving. A vault cannot be derived from its shares: if a wallet that has used the program holds unknown mints, the
 * heads of all vaults are searched.
 */
export function createKaminoVaults(leads: MintLeads = new Map()): SolanaFamily {
  async function readShares({ reader, held, used, clock }: ShareScope): Promise<ReadonlyMap<SolanaAddress, Share>> {
    if (!used.has(PROGRAM)) return new Map()
    const mints = held.filter(isFungible).map(({ mint }) => mint)
    if (mints.some((mint) => leads.get(mint) === undefined)) {
      const heads = await reader.programAccounts(PROGRAM, [ofKind(VAULT.discriminator)], HEAD.minLength)
      const vaults = new Map(heads.map((head) => [openAccount(head, HEAD).key(field.sharesMint), head.address]))
      for (const mint of mints) {
        const vault = vaults.get(mint)
        leads.set(mint, vault === undefined ? null : { vault })
      }
    }
    const shares = mints.flatMap((mint) => {
      const vault = leads.get(mint)?.['vault']
      return vault ? [{ mint, vault }] : []
    })
    return readVaults(reader, shares, clock)
  }

  return {
    name: 'kamino_vaults',
    key: 'kamino_vaults',
    title: 'Kamino Vaults',
    siteUrl: 'https://kamino.com',
    searched: [PROGRAM],
    ...readShareTokens('yield', readShares),
  }
}

async function readVaults(
  reader: SolanaReader,
  shares: readonly { mint: SolanaAddress; vault: SolanaAddress }[],
  clock: SolanaClock,
): Promise<Map<SolanaAddress, Share>> {
  if (shares.length === 0) return new Map()
  const found = await reader.accounts(shares.map(({ vault }) => vault))
  const vaults = found.map((account) => openExisting(account, VAULT))
  const addresses = [...new Set(vaults.flatMap((vault) => lentBy(vault).map(({ reserve }) => reserve)))]
  const accounts = addresses.length > 0 ? await reader.accounts(addresses) : []
  const reserves = new Map(addresses.map((address, index) => [address, accounts[index]]))
  return new Map(
    shares.flatMap(({ mint }, index) => {
      const vault = vaults[index]
      return vault ? [[mint, shareOf(vault, mint, { reserves, clock })] as const] : []
    }),
  )
}

/** What a vault has in reserves. A place without a reserve is not in use. */
function lentBy(vault: AccountData): { reserve: SolanaAddress; collateral: bigint }[] {
  return Array.from({ length: ALLOCATIONS }, (_, index) => {
    const at = field.allocations + index * allocationField.size
    return { reserve: vault.key(at + allocationField.reserve), collateral: vault.u64(at + allocationField.collateral) }
  }).filter(({ reserve, collateral }) => reserve !== NATIVE_SOL && collateral > 0n)
}

type Rates = { reserves: ReadonlyMap<SolanaAddress, SolanaAccount | null | undefined>; clock: SolanaClock }

function shareOf(vault: AccountData, mint: SolanaAddress, { reserves, clock }: Rates): Share {
  if (vault.key(field.sharesMint) !== mint) throw invalid(VAULT.what, vault.address, 'is of other shares')
  const [token, shares] = [vault.key(field.token), vault.u64(field.shares)]
  const lent = lentBy(vault).reduce((sum, { reserve: address, collateral }) => {
    const reserve = kaminoReserve(openExisting(reserves.get(address), RESERVE), clock.slot)
    if (reserve.mint !== token) throw invalid(VAULT.what, vault.address, 'lends another token than its own')
    return sum + reserve.redeemed(collateral)
  }, 0n)
  const ownSf = ((vault.u64(field.available) + lent) << FRACTION_BITS) - vault.u128(field.pendingFeesSf)
  if (shares === 0n || ownSf < 0n) throw invalid(VAULT.what, vault.address, 'owes more than it has, or has no shares')
  const decompose = (amountRaw: bigint) => [{ token, amountRaw: (amountRaw * ownSf) / (shares << FRACTION_BITS) }]
  return { label: nameOf(vault), pool: vault.address, receipt: { decompose } }
}

function nameOf(vault: AccountData): string {
  const text = new TextDecoder().decode(vault.bytes(field.name, NAME_BYTES))
  return text.replaceAll('\0', '').trim() || 'Vault'
}
