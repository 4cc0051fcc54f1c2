import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type UpstreamError, type UpstreamReason, upstreamOnly } from '../../../lib/upstream-error.ts'
import {
  type AccountOf,
  type Fields,
  invalid,
  type Layout,
  ofKind,
  readAccount,
  type SolanaAccount,
} from '../codec/account-data.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { PositionScope } from './adapter.ts'

export type Accounts = ReadonlyMap<SolanaAddress, SolanaAccount | null>

export async function readAccounts(reader: SolanaReader, addresses: readonly SolanaAddress[]): Promise<Accounts> {
  const once = [...new Set(addresses)]
  const found = await reader.accounts(once)
  return new Map(once.map((address, index) => [address, found[index] ?? null]))
}

export async function readAll<F extends Fields>(
  reader: SolanaReader,
  layout: Layout<F>,
  addresses: readonly SolanaAddress[],
) {
  const accounts = await readAccounts(reader, addresses)
  return (address: SolanaAddress) => readAccount(accounts.get(address), layout)
}

export const readExisting = <F extends Fields>(
  accounts: readonly (SolanaAccount | null)[],
  layout: Layout<F>,
): AccountOf<Layout<F>>[] => accounts.flatMap((account) => (account ? [readAccount(account, layout)] : []))

type OwnedFields = Fields & { owner: readonly ['key', number] }

/** Returns nothing if the wallet has not used the program. */
export async function searchAccounts<F extends OwnedFields>(
  { reader, wallet, used }: PositionScope,
  layout: Layout<F>,
  owner = wallet,
) {
  return layout.programs.some((program) => used.has(program)) ? readOwned(reader, layout, owner) : []
}

/** Throws if a node ignores the filter. */
export async function readOwned<F extends OwnedFields>(
  reader: SolanaReader,
  layout: Layout<F>,
  owner: SolanaAddress,
): Promise<AccountOf<Layout<F>>[]> {
  const [program = ''] = layout.programs
  const [, offset] = layout.fields.owner
  const found = await reader.programAccounts(program, [ofKind(layout), { offset, bytes: owner }])
  return found.map((account) => {
    const read = readAccount(account, layout)
    if (read.data.key(offset) === owner) return read
    throw invalid(layout.what, account.address, 'is not of the wallet that was asked for')
  })
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
