import { getBase58Encoder } from '@solana/kit'
import type { SolanaAccount } from '../accounts.ts'
import { isTokenAccount, isTokenProgram } from '../token-account.ts'
import { isObject, list, text, u64 } from './params.ts'
import { invalidParams } from './rpc-error.ts'

type Filter = (account: SolanaAccount) => boolean

const MAX_FILTERS = 4
const MAX_MEMCMP_BYTES = 128

export const hasBytes = (data: Uint8Array, offset: number, bytes: Uint8Array): boolean =>
  offset + bytes.length <= data.length && bytes.every((byte, index) => data[offset + index] === byte)

const decode = (encoded: string, encoding: unknown): Uint8Array => {
  try {
    if (encoding === 'base64') return new Uint8Array(Buffer.from(encoded, 'base64'))
    return Uint8Array.from(getBase58Encoder().encode(encoded))
  } catch {
    throw invalidParams('Invalid param: invalid base58 encoding')
  }
}

const memcmpBytes = (bytes: unknown, encoding: unknown): Uint8Array => {
  const wanted = Array.isArray(bytes) ? Uint8Array.from(bytes, Number) : decode(text(bytes), encoding)
  if (wanted.length <= MAX_MEMCMP_BYTES) return wanted
  throw invalidParams('Invalid param: encoded binary data should be less than 129 bytes')
}

const toFilter = (filter: unknown): Filter => {
  if (filter === 'tokenAccountState') return ({ owner, data }) => isTokenProgram(owner) && isTokenAccount(data)
  if (isObject(filter) && 'dataSize' in filter) {
    const size = u64(filter['dataSize'])
    return ({ data }) => BigInt(data.length) === size
  }
  const memcmp = isObject(filter) ? filter['memcmp'] : undefined
  if (!isObject(memcmp)) throw invalidParams('Invalid params: unknown variant of a filter')
  const offset = Number(u64(memcmp['offset']))
  const bytes = memcmpBytes(memcmp['bytes'], memcmp['encoding'])
  return ({ data }) => hasBytes(data, offset, bytes)
}

/** An account must pass all. */
export const readFilters = (filters: unknown): Filter => {
  const given = list(filters ?? [])
  if (given.length > MAX_FILTERS) throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`)
  const wanted = given.map(toFilter)
  return (account) => wanted.every((passes) => passes(account))
}
