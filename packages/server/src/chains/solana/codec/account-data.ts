import { base58 } from '@scure/base'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { attempt, UpstreamError } from '../../../lib/upstream-error.ts'
import { addressOf } from './address.ts'

/** `owner`: the program that alone may change the data. */
export type SolanaAccount = {
  address: SolanaAddress
  owner: SolanaAddress
  lamports: bigint
  data: Uint8Array
}

const ADDRESS_BYTES = 32

/**
 * Integers are little-endian. A read past the end throws `UpstreamError('invalid')`: a node cut the account short, or
 * its layout differs.
 */
export type AccountData = {
  readonly address: SolanaAddress
  readonly length: number
  u8(offset: number): number
  u16(offset: number): number
  i16(offset: number): number
  u32(offset: number): number
  i32(offset: number): number
  u64(offset: number): bigint
  i64(offset: number): bigint
  u128(offset: number): bigint
  i128(offset: number): bigint
  u256(offset: number): bigint
  f64(offset: number): number
  /** 0 or 1; anything else is invalid. */
  flag(offset: number): boolean
  key(offset: number): SolanaAddress
  bytes(offset: number, length: number): Uint8Array
  /** UTF-8 of fixed length, without padding. */
  text(offset: number, length: number): string
}

export type AccountLayout = {
  what: string
  programs: readonly SolanaAddress[]
  /** Base58. Anchor: eight bytes, from the hash of the account's name. */
  discriminator?: string
  minLength: number
}

export type AnchorLayout = AccountLayout & { programs: readonly [SolanaAddress]; discriminator: string }

export const anchorLayout = (
  what: string,
  program: SolanaAddress,
  discriminator: string,
  minLength: number,
): AnchorLayout => ({ what, programs: [program], discriminator, minLength })

/** Throws `UpstreamError('invalid')` on any other account. */
export function openAccount(account: SolanaAccount, layout: AccountLayout): AccountData {
  const { what, programs, discriminator, minLength } = layout
  if (!programs.includes(account.owner)) throw invalid(what, account.address, 'belongs to another program')
  if (discriminator !== undefined && !startsWith(account.data, discriminator)) {
    throw invalid(what, account.address, 'is of another kind')
  }
  if (account.data.length < minLength) throw invalid(what, account.address, `is only ${account.data.length} bytes long`)
  return accountData(account, what)
}

export function openExisting(account: SolanaAccount | null | undefined, layout: AccountLayout): AccountData {
  if (!account) throw new UpstreamError('invalid', `${layout.what}: an account that is referred to does not exist`)
  return openAccount(account, layout)
}

export function invalid(what: string, address: SolanaAddress, why: string): UpstreamError {
  return new UpstreamError('invalid', `${what} ${address} ${why}`)
}

export function startsWith(data: Uint8Array, discriminator: string): boolean {
  const expected = base58.decode(discriminator)
  return data.length >= expected.length && expected.every((byte, index) => data[index] === byte)
}

function accountData({ address, data }: SolanaAccount, what: string): AccountData {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const at = (offset: number, length: number): number => {
    if (offset < 0 || offset + length > data.length) {
      throw invalid(what, address, `has ${data.length} bytes and ends before ${offset + length}`)
    }
    return offset
  }
  const bytes = (offset: number, length: number) => data.subarray(at(offset, length), offset + length)
  const low = (offset: number) => view.getBigUint64(at(offset, 16), true)
  const u128 = (offset: number) => (view.getBigUint64(at(offset, 16) + 8, true) << 64n) | low(offset)
  return {
    address,
    length: data.length,
    u8: (offset) => view.getUint8(at(offset, 1)),
    u16: (offset) => view.getUint16(at(offset, 2), true),
    i16: (offset) => view.getInt16(at(offset, 2), true),
    u32: (offset) => view.getUint32(at(offset, 4), true),
    i32: (offset) => view.getInt32(at(offset, 4), true),
    u64: (offset) => view.getBigUint64(at(offset, 8), true),
    i64: (offset) => view.getBigInt64(at(offset, 8), true),
    u128,
    u256: (offset) => (u128(offset + 16) << 128n) | u128(offset),
    f64: (offset) => view.getFloat64(at(offset, 8), true),
    i128: (offset) => (view.getBigInt64(at(offset, 16) + 8, true) << 64n) | low(offset),
    flag(offset) {
      const value = view.getUint8(at(offset, 1))
      if (value > 1) throw invalid(what, address, `has ${value} where there must be 0 or 1`)
      return value === 1
    },
    key: (offset) => addressOf(bytes(offset, ADDRESS_BYTES)),
    bytes,
    text: (offset, length) => new TextDecoder().decode(bytes(offset, length)).replaceAll('\0', '').trim(),
  }
}

type Scalar = Exclude<keyof AccountData, 'address' | 'length' | 'bytes' | 'text'>
type Value<S extends Scalar> = ReturnType<AccountData[S]>
type Field = readonly [Scalar, number] | readonly [Scalar, number, number]
type Struct<F extends Readonly<Record<string, Field>>> = {
  [Name in keyof F]: F[Name]['length'] extends 3 ? readonly [Value<F[Name][0]>, Value<F[Name][0]>] : Value<F[Name][0]>
}

export function struct<const F extends Readonly<Record<string, Field>>>(fields: F) {
  const entries = Object.entries(fields)
  return (data: AccountData, at = 0) => {
    const read = entries.map(([name, [scalar, first, second]]) => {
      const value = data[scalar](at + first)
      return [name, second === undefined ? value : [value, data[scalar](at + second)]]
    })
    return Object.fromEntries(read) as Struct<F>
  }
}

export function places({ from, count, size }: { from: number; count: number; size: number }): number[] {
  return Array.from({ length: count }, (_, index) => from + index * size)
}

/** Leaves out missing accounts and those that `decode` refuses. */
export function decodable<T>(accounts: readonly (SolanaAccount | null)[], decode: (account: SolanaAccount) => T): T[] {
  return accounts.flatMap((account) => {
    const decoded = account && attempt(() => decode(account))
    return decoded === null || decoded instanceof UpstreamError ? [] : [decoded]
  })
}

export const ofKind = (discriminator: string) => ({ offset: 0, bytes: discriminator })
