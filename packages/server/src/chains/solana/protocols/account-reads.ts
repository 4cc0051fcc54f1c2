import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type UpstreamError, type UpstreamReason, upstreamOnly } from '../../../lib/upstream-error.ts'
import { type AccountData, type AnchorLayout, ofKind, openAccount, type SolanaAccount } from '../codec/account-data.ts'
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
