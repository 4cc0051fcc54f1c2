import type { SolanaAddress } from '../../domain/solana-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { isRecord } from '../rpc/json-rpc.ts'
import type { SolanaAccount } from './codec/solana-account.ts'
import { createDataReader, type ReadData } from './reader/account-encoding.ts'

/** From `{ context, value }`. */
export type AtSlot<T> = { slot: bigint; value: T }

export function highest(slots: Iterable<bigint>): bigint {
  let found = 0n
  for (const slot of slots) if (slot > found) found = slot
  return found
}

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export function parseAtSlot<T>(result: unknown, parse: (value: unknown) => T): AtSlot<T> {
  if (!isRecord(result) || !isRecord(result['context'])) throw invalid('an answer without a slot')
  return { slot: parseU64(result['context']['slot']), value: parse(result['value']) }
}

export function parseU64(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value)
  throw invalid('expected an integer')
}

export function parseAddress(value: unknown): SolanaAddress {
  if (typeof value !== 'string' || !BASE58.test(value)) {
    throw invalid('expected an address')
  }
  return value
}

export function parseAccounts(addresses: readonly SolanaAddress[], value: unknown): (SolanaAccount | null)[] {
  if (!Array.isArray(value) || value.length !== addresses.length) {
    throw invalid(`asked for ${addresses.length} accounts, got another number`)
  }
  const read = createDataReader()
  return addresses.map((address, i) => parseAccount(address, value[i], read))
}

function parseAccount(address: SolanaAddress, value: unknown, read: ReadData, most = Infinity): SolanaAccount | null {
  if (value === null) return null
  if (!isRecord(value) || !Array.isArray(value['data'])) throw invalid('expected an account')
  const { owner, lamports, space, data } = value
  const bytes = read(data)
  // Older nodes omit `space`.
  if (typeof space === 'number' && bytes.length !== Math.min(space, most))
    throw invalid('an account that was cut short')
  return { address, owner: parseAddress(owner), lamports: parseU64(lamports), data: bytes }
}

export function parseKeyedAccounts(value: unknown, most?: number): SolanaAccount[] {
  if (!Array.isArray(value)) throw invalid('expected a list of accounts')
  const read = createDataReader()
  return value.map((item: unknown) => {
    const account = isRecord(item) ? parseAccount(parseAddress(item['pubkey']), item['account'], read, most) : null
    if (!account) throw invalid('expected an account with its address')
    return account
  })
}

function invalid(what: string): UpstreamError {
  return new UpstreamError('invalid', what)
}
