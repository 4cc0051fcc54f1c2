import { type Address, isAddress } from '@solana/kit'
import { invalidParams, RpcError } from './rpc-error.ts'

/** By position. */
export type Params = readonly unknown[]
export type Config = Readonly<Record<string, unknown>>

const MAX_U64 = 2n ** 64n - 1n

export const isObject = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const configOf = (params: Params, index: number): Config => {
  const value = params[index] ?? {}
  if (isObject(value)) return value
  throw invalidParams(`Invalid params: invalid type: ${typeof value}, expected struct`)
}

export const text = (value: unknown): string => {
  if (typeof value === 'string') return value
  throw invalidParams(`Invalid params: invalid type: ${typeof value}, expected a string`)
}

export const toAddress = (value: unknown): Address => {
  const written = text(value)
  if (isAddress(written)) return written
  throw invalidParams('Invalid param: Invalid')
}

export const list = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  throw invalidParams(`Invalid params: invalid type: ${typeof value}, expected a sequence`)
}

export const u64 = (value: unknown): bigint => {
  const integer = typeof value === 'bigint' || Number.isSafeInteger(value) ? BigInt(value as bigint | number) : -1n
  if (integer >= 0n && integer <= MAX_U64) return integer
  throw invalidParams('Invalid params: invalid value, expected u64')
}

export const optional = <value>(given: unknown, read: (given: unknown) => value): value | undefined =>
  given === undefined || given === null ? undefined : read(given)

/** Throws if the node has not reached the requested slot. */
export const requireSlot = (config: Config, slot: bigint): void => {
  const wanted = optional(config['minContextSlot'], u64)
  if (wanted !== undefined && wanted > slot)
    throw new RpcError('minContextSlot', 'Minimum context slot has not been reached', { contextSlot: slot })
}
