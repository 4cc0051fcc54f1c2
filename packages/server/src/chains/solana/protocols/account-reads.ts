import type { SolanaAddress } from '../../../domain/solana-address.ts'
import {
  type AccountData,
  type AnchorLayout,
  invalid,
  ofKind,
  openAccount,
  openExisting,
} from '../codec/account-data.ts'
import { TOKEN_PROGRAMS } from '../codec/mint.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'

export type Accounts = ReadonlyMap<SolanaAddress, SolanaAccount | null>

export async function readAccounts(reader: SolanaReader, addresses: readonly SolanaAddress[]): Promise<Accounts> {
  const once = [...new Set(addresses)]
  const found = await reader.accounts(once)
  return new Map(once.map((address, index) => [address, found[index] ?? null]))
}

export async function searchAccounts(
  reader: SolanaReader,
  layout: AnchorLayout,
  owner: { offset: number; bytes: SolanaAddress },
): Promise<AccountData[]> {
  const found = await reader.programAccounts(layout.programs[0], [ofKind(layout.discriminator), owner])
  return found.map((account) => openAccount(account, layout))
}

/** Throws `UpstreamError('invalid')` if the account is missing or of another mint or owner. */
export function heldAmount(
  account: SolanaAccount | null | undefined,
  what: string,
  of: { mint?: SolanaAddress; owner?: SolanaAddress } = {},
): bigint {
  const data = openExisting(account, { what, programs: TOKEN_PROGRAMS, minLength: 165 })
  const [mint, owner] = [data.key(0), data.key(32)]
  if (mint === (of.mint ?? mint) && owner === (of.owner ?? owner)) return data.u64(64)
  throw invalid(what, data.address, 'is of another token or owner')
}
