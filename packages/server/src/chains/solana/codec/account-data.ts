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

export type AccountType = {
  what: string
  programs: readonly SolanaAddress[]
  /** Base58. Anchor: eight bytes, from the hash of the account's name. */
  discriminator?: string
  minLength: number
  /** Without a discriminator, only the length distinguishes the account. */
  isExact?: true
}

/** Throws `UpstreamError('invalid')` on a missing account or another type. */
export function openAccount(account: SolanaAccount | null | undefined, type: AccountType): AccountData {
  const { what, programs, discriminator, minLength, isExact } = type
  if (!account) throw new UpstreamError('invalid', `${what}: an account that is referred to does not exist`)
  const { address, owner, data } = account
  if (!programs.includes(owner)) throw invalid(what, address, 'belongs to another program')
  if (discriminator !== undefined && !startsWith(data, discriminator))
    throw invalid(what, address, 'is of another kind')
  if (data.length < minLength || (isExact && data.length > minLength)) {
    throw invalid(what, address, `is ${data.length} bytes long`)
  }
  return new AccountData(account, what)
}

export function invalid(what: string, address: SolanaAddress, why: string): UpstreamError {
  return new UpstreamError('invalid', `${what} ${address} ${why}`)
}

export function startsWith(data: Uint8Array, discriminator: string): boolean {
  const expected = base58.decode(discriminator)
  return data.length >= expected.length && expected.every((byte, index) => data[index] === byte)
}

/** Little-endian. A read past the end throws `UpstreamError('invalid')`: the account is cut, or its layout differs. */
class AccountData {
  readonly address: SolanaAddress
  readonly lamports: bigint
  readonly length: number
  readonly #what: string
  readonly #data: Uint8Array
  readonly #view: DataView

  constructor({ address, lamports, data }: SolanaAccount, what: string) {
    this.address = address
    this.lamports = lamports
    this.length = data.length
    this.#what = what
    this.#data = data
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  }

  #at(offset: number, length: number): number {
    if (offset < 0 || offset + length > this.length) {
      throw invalid(this.#what, this.address, `has ${this.length} bytes and ends before ${offset + length}`)
    }
    return offset
  }

  u8(offset: number): number {
    return this.#view.getUint8(this.#at(offset, 1))
  }

  u16(offset: number): number {
    return this.#view.getUint16(this.#at(offset, 2), true)
  }

  i16(offset: number): number {
    return this.#view.getInt16(this.#at(offset, 2), true)
  }

  u32(offset: number): number {
    return this.#view.getUint32(this.#at(offset, 4), true)
  }

  i32(offset: number): number {
    return this.#view.getInt32(this.#at(offset, 4), true)
  }

  u64(offset: number): bigint {
    return this.#view.getBigUint64(this.#at(offset, 8), true)
  }

  i64(offset: number): bigint {
    return this.#view.getBigInt64(this.#at(offset, 8), true)
  }

  u128(offset: number): bigint {
    const low = this.#view.getBigUint64(this.#at(offset, 16), true)
    return (this.#view.getBigUint64(offset + 8, true) << 64n) | low
  }

  u256(offset: number): bigint {
    return (this.u128(offset + 16) << 128n) | this.u128(offset)
  }

  f64(offset: number): number {
    return this.#view.getFloat64(this.#at(offset, 8), true)
  }

  i128(offset: number): bigint {
    const low = this.#view.getBigUint64(this.#at(offset, 16), true)
    return (this.#view.getBigInt64(offset + 8, true) << 64n) | low
  }

  /** 0 or 1; anything else is invalid. */
  flag(offset: number): boolean {
    const value = this.u8(offset)
    if (value > 1) throw invalid(this.#what, this.address, `has ${value} where there must be 0 or 1`)
    return value === 1
  }

  key(offset: number): SolanaAddress {
    return addressOf(this.bytes(offset, ADDRESS_BYTES))
  }

  bytes(offset: number, length: number): Uint8Array {
    return this.#data.subarray(this.#at(offset, length), offset + length)
  }

  /** UTF-8 without padding. */
  text(offset: number, length: number): string {
    return new TextDecoder().decode(this.bytes(offset, length)).replaceAll('\0', '').trim()
  }
}

export type { AccountData }

type Scalar = Exclude<keyof AccountData, 'address' | 'lamports' | 'length' | 'bytes' | 'text'>
type List = { readonly places: readonly number[]; readonly of: Fields }
/** Type and offset, offsets of a pair, or offset and length. */
type Field =
  | readonly [Scalar, number]
  | readonly [Scalar, number, number]
  | readonly ['text' | 'bytes', number, number]
  | List
export type Fields = { readonly [name: string]: Field }

type Value<S extends Scalar> = ReturnType<AccountData[S]>
type ValueOf<F> = F extends { of: infer Of }
  ? readonly Values<Of>[]
  : F extends readonly [infer T extends 'text' | 'bytes', number, number]
    ? ReturnType<AccountData[T]>
    : F extends readonly [infer S extends Scalar, number, number]
      ? readonly [Value<S>, Value<S>]
      : F extends readonly [infer S extends Scalar, number]
        ? Value<S>
        : never
type Values<F> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

export type Layout<F extends Fields = Fields> = AccountType & { fields: F }
export type AccountOf<L extends Layout> = { address: SolanaAddress; data: AccountData } & Values<L['fields']>

export const layout = <const F extends Fields>(type: AccountType, fields: F): Layout<F> => ({ ...type, fields })

export const anchorLayout = <const F extends Fields>(
  what: string,
  program: SolanaAddress,
  discriminator: string,
  minLength: number,
  fields: F,
): Layout<F> => ({ what, programs: [program], discriminator, minLength, fields })

/** Offsets count from the part. */
export const list = <const F extends Fields>(
  { from, count, size }: { from: number; count: number; size: number },
  of: F,
) => ({ places: Array.from({ length: count }, (_, index) => from + index * size), of })

export function readFields<F extends Fields>(data: AccountData, fields: F, at = 0): Values<F> {
  const values: Record<string, unknown> = {}
  for (const name in fields) values[name] = readField(data, fields[name] as Field, at)
  return values as Values<F>
}

function readField(data: AccountData, field: Field, at: number): unknown {
  if ('of' in field) return field.places.map((place) => readFields(data, field.of, at + place))
  const [type, first, second] = field
  if (type === 'text' || type === 'bytes') return data[type](at + first, second)
  return second === undefined ? data[type](at + first) : [data[type](at + first), data[type](at + second)]
}

export function readAccount<F extends Fields>(
  account: SolanaAccount | null | undefined,
  of: Layout<F>,
): AccountOf<Layout<F>> {
  const data = openAccount(account, of)
  return { address: data.address, data, ...readFields(data, of.fields) }
}

/** Leaves out missing accounts and those that `decode` refuses. */
export function decodable<T>(accounts: readonly (SolanaAccount | null)[], decode: (account: SolanaAccount) => T): T[] {
  return accounts.flatMap((account) => {
    const decoded = account && attempt(() => decode(account))
    return decoded === null || decoded instanceof UpstreamError ? [] : [decoded]
  })
}

export const ofKind = ({ discriminator, minLength }: AccountType) =>
  discriminator === undefined ? { dataSize: minLength } : startingWith(discriminator)

export const startingWith = (discriminator: string) => ({ offset: 0, bytes: discriminator })
