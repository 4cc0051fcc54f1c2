import type { SolanaAddress } from '../../domain/solana-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { isRecord } from '../rpc/json-rpc.ts'

/** From `{ context, value }`. */
export type AtSlot<T> = { slot: bigint; value: T }

export function highest(slots: Iterable<bigint>): bigint {
  let found = 0n
  for (const slot of slots) if (slot > found) found = slot
  return found
}

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export function parseAtSlot<T>(result: unknown, parse: (value: unknown) => T): AtSlot<T> {
  if (!isRecord(result) || !isRecord(result['context'])) throw invalidAnswer('an answer without a slot')
  return { slot: parseU64(result['context']['slot']), value: parse(result['value']) }
}

export function parseU64(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value)
  throw invalidAnswer('expected an integer')
}

export function parseAddress(value: unknown): SolanaAddress {
  if (typeof value !== 'string' || !BASE58.test(value)) {
    throw invalidAnswer('expected an address')
  }
  return value
}

export function invalidAnswer(what: string): UpstreamError {
  return new UpstreamError('invalid', what)
}

/** Inside a string the quote would be escaped. */
const NAMED = /(?<!\\)(":\s*)(\d{16,})(?=\s*[,}])/g
const LISTED = /[[,]\s*\d{16,}\s*[,\]]/

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

const keepDigits: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && !Number.isSafeInteger(value) && /^\d+$/.test(source)
    ? source
    : value

/** Integers beyond a double become strings. The fast path converts all properties of 16 or more digits. */
export function parseExactIntegers(text: string): unknown {
  if (LISTED.test(text)) return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1])
  return JSON.parse(text.replace(NAMED, '$1"$2"'))
}
