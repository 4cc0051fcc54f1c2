import { zstdCompressSync } from 'node:zlib'
import { getBase58Decoder } from '@solana/kit'
import type { SolanaAccount } from '../accounts.ts'
import { type Config, configOf, optional, text, u64 } from './params.ts'
import { invalidParams, RpcError } from './rpc-error.ts'

const MAX_BASE58_BYTES = 128
/** The last possible epoch: accounts pay no rent. */
const RENT_EPOCH = 2n ** 64n - 1n
const ENCODINGS: readonly string[] = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed']

const base58 = (bytes: Uint8Array): string => {
  if (bytes.length <= MAX_BASE58_BYTES) return getBase58Decoder().decode(bytes)
  const limit = 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.'
  throw new RpcError('invalidRequest', limit)
}

/** Nodes without a parser answer `jsonParsed` in base64. This one has none. */
const encode = (bytes: Uint8Array, encoding: string): unknown => {
  if (encoding === 'binary') return base58(bytes)
  if (encoding === 'base58') return [base58(bytes), encoding]
  if (encoding === 'base64+zstd') return [zstdCompressSync(bytes).toString('base64'), encoding]
  return [Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'), 'base64']
}

const slice = (data: Uint8Array, wanted: unknown): Uint8Array => {
  if (wanted === undefined || wanted === null) return data
  const { offset, length } = configOf([wanted], 0)
  const from = Number(u64(offset))
  return data.subarray(from, from + Number(u64(length)))
}

/** `usual`: default encoding. */
export const encodeAccount = (account: SolanaAccount, config: Config, usual: 'binary' | 'base64') => {
  const encoding = optional(config['encoding'], text) ?? usual
  if (!ENCODINGS.includes(encoding)) throw invalidParams(`Invalid params: unknown variant \`${encoding}\``)
  return {
    data: encode(slice(account.data, config['dataSlice']), encoding),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: RENT_EPOCH,
    space: account.data.length,
  }
}
