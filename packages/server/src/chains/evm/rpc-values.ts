import { randomBytes } from 'node:crypto'
import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { isRecord } from '../rpc/json-rpc.ts'

export type Hex = `0x${string}`

const HEX_DIGITS = /^0x[0-9a-fA-F]*$/
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

/** `what` is named in the error, with its article. */
export function recordOf(value: unknown, what: string): Record<string, unknown> {
  if (!isRecord(value)) throw new UpstreamError('invalid', `expected ${what}`)
  return value
}

export function listOf(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new UpstreamError('invalid', `expected ${what}`)
  return value
}

export function parseData(value: unknown): Hex {
  if (typeof value !== 'string' || value.length % 2 !== 0 || !HEX_DIGITS.test(value)) {
    throw new UpstreamError('invalid', 'expected hex data')
  }
  return value as Hex
}

/** Accepts leading zeros; rejects a sign and an empty `0x`. */
export function parseQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw new UpstreamError('invalid', 'expected a hex quantity')
  return BigInt(value)
}

export const parseOptionalQuantity = (value: unknown): bigint | null =>
  value === null || value === undefined ? null : parseQuantity(value)

export function parseHash(value: unknown): Hex {
  if (typeof value !== 'string' || value.length !== 66 || !HEX_DIGITS.test(value)) {
    throw new UpstreamError('invalid', 'expected a 32-byte hash')
  }
  return value.toLowerCase() as Hex
}

export function parseAddress(value: unknown): EvmAddress {
  const address = parseData(value)
  if (address.length !== 42) throw new UpstreamError('invalid', 'expected an address')
  return evmAddress(address)
}

/** Unix seconds. Zero and milliseconds, which some nodes send, count as absent. */
export function parseBlockTime(value: unknown): number | null {
  const seconds = typeof value === 'string' && /^0x[0-9a-f]{1,9}$/i.test(value) ? Number(value) : 0
  return seconds > 1_000_000_000 && seconds < 10_000_000_000 ? seconds : null
}

export const randomWord = (): Hex => `0x${randomBytes(32).toString('hex')}`

export const randomAddress = (): EvmAddress => `0x${randomBytes(20).toString('hex')}`
