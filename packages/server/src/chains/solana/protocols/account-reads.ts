import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type UpstreamError, type UpstreamReason, upstreamOnly } from '../../../lib/upstream-error.ts'
import { type AccountData, type AnchorLayout, ofKind, openAccount, type SolanaAccount } from '../codec/account-data.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { PositionScope } from './adapter.ts'

export type Accounts = ReadonlyMap<SolanaAddress, SolanaAccount | null>

export async function readAccounts(reader: SolanaReader, addresses: readonly SolanaAddress[]): Promise<Accounts> {
  const once = [...new Set(addresses)]
  const found = await reader.accounts(once)
  return new Map(once.map((address, index) => [address, found[index] ?? null]))
}

/** Returns nothing if the wallet has not used the program. `owner`: the wallet by default. */
export async function searchAccounts(
  { reader, wallet, used }: PositionScope,
  layout: AnchorLayout,
  ownerAt: number,
  owner: SolanaAddress = wallet,
): Promise<AccountData[]> {
  const [program] = layout.programs
  if (!used.has(program)) return []
  const found = await reader.programAccounts(program, [ofKind(layout.discriminator), { offset: ownerAt, bytes: owner }])
  return found.map((account) => openAccount(account, layout))
}

/** Rejects with any other failure. */
export async function orLeftOut<T>(
  reading: Promise<T>,
  reason: UpstreamReason,
  leftOut: ((why: UpstreamError) => void) | undefined,
): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const why = upstreamOnly(error)
    if (why.reason !== reason) throw why
    leftOut?.(why)
    return undefined
  }
}
