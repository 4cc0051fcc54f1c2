import { UpstreamError } from '../lib/upstream-error.ts'

export type BeaconAnswer = { data: unknown }

/** `parse` throws `UpstreamError` on a malformed answer. */
export type BeaconRequest<T> = {
  name: string
  path: string
  body?: unknown
  parse(answer: BeaconAnswer): T
  /** Result of a 404 or `notFoundOn`; without it a failure. */
  notFound?(): T
  notFoundOn?: readonly number[]
  /** Asks for a past state; a node without it fails with `NoHistory`. */
  past?: true
  maxBytes?: number
}

/** Another node may have the state. Never means that nothing happened. */
export class NoHistory extends UpstreamError {
  constructor(what: string, options?: ErrorOptions) {
    super('unavailable', `there is no history of ${what}`, options)
  }
}

/** A number is a slot. */
export type StateId = 'head' | 'finalized' | number

export const pastOf = (state: StateId) => (typeof state === 'number' ? ({ past: true } as const) : {})

/** 2^64 − 1: not known yet. */
const FAR_FUTURE_EPOCH = '18446744073709551615'
const UNSIGNED = /^(0|[1-9]\d{0,77})$/
const SIGNED = /^-?(0|[1-9]\d{0,18})$/
const HEX_DIGITS = /^0x[0-9a-fA-F]*$/
const SHOWN_LETTERS = 40

export function invalidValue(where: string, value: unknown): UpstreamError {
  const shown = String(JSON.stringify(value)).slice(0, SHOWN_LETTERS)
  return new UpstreamError('invalid', `${where} of a beacon node's answer is ${shown}`)
}

export type Fields = { readonly [name: string]: unknown }

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function parseFields(value: unknown, where: string): Fields {
  if (!isFields(value)) throw invalidValue(where, value)
  return value
}

export function parseList<T>(value: unknown, where: string, parse: (item: unknown, where: string) => T): T[] {
  if (!Array.isArray(value)) throw invalidValue(where, value)
  return value.map((item) => parse(item, where))
}

export function parseInteger(value: unknown, where: string): number {
  const number = typeof value === 'string' && UNSIGNED.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(number)) throw invalidValue(where, value)
  return number
}

export function parseEpoch(value: unknown, where: string): number | null {
  return value === FAR_FUTURE_EPOCH ? null : parseInteger(value, where)
}

export function parseAmount(value: unknown, where: string): bigint {
  if (typeof value !== 'string' || !UNSIGNED.test(value)) throw invalidValue(where, value)
  return BigInt(value)
}

/** Rejects fractions, which some nodes compute as rewards. */
export function parseSigned(value: unknown, where: string): bigint {
  if (typeof value !== 'string' || !SIGNED.test(value)) throw invalidValue(where, value)
  return BigInt(value)
}

export function parseFlag(value: unknown, where: string): boolean {
  if (typeof value !== 'boolean') throw invalidValue(where, value)
  return value
}

export function parseHex(value: unknown, where: string, byteCount?: number): string {
  const isHex = typeof value === 'string' && value.length % 2 === 0 && HEX_DIGITS.test(value)
  if (!isHex || (byteCount !== undefined && value.length !== 2 + byteCount * 2)) throw invalidValue(where, value)
  return value.toLowerCase()
}

/** Packed as in SSZ: bit `i` is bit `i & 7` of byte `i >> 3`. */
export type Bits = Uint8Array

export function hasBit(bits: Bits, index: number): boolean {
  return (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1
}
