import { zstdDecompressSync } from 'node:zlib'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { RpcRefusal } from '../../rpc/json-rpc.ts'
import { noteRefused, offers } from '../../rpc/offers.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'

/** The encoding in which a node is asked for account data. */
export type AccountEncoding = 'base64' | 'base64+zstd'

/** Limit of the decoded bytes of one answer: as many as plain base64 may carry. */
const MOST_BYTES = 24_000_000

/** Base64 in whole groups of four; a text that was cut short does not end so. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Account data that cannot be decoded. */
class Unreadable extends UpstreamError {
  constructor(what: string) {
    super('invalid', what)
  }
}

/** Decodes account data: a text and its encoding. */
export type ReadData = (data: readonly unknown[]) => Buffer

/** Decodes the accounts of one answer, at most `most` bytes in total. */
export function createDataReader(most = MOST_BYTES): ReadData {
  let left = most
  return (data) => {
    const [text, encoding] = data
    if (encoding !== 'base64' && encoding !== 'base64+zstd') throw new Unreadable('expected base64')
    if (typeof text !== 'string' || !BASE64.test(text)) throw new Unreadable('expected base64')
    const bytes = Buffer.from(text, 'base64')
    const read = encoding === 'base64+zstd' ? decompressed(bytes, left) : bytes
    left -= read.length
    if (left < 0) throw tooLong()
    return read
  }
}

function decompressed(bytes: Buffer, most: number): Buffer {
  try {
    // `maxOutputLength` must not be 0.
    return zstdDecompressSync(bytes, { maxOutputLength: Math.max(most, 1) })
  } catch (error) {
    if (error instanceof RangeError) throw tooLong()
    throw new Unreadable('expected data in zstd')
  }
}

const tooLong = () => new UpstreamError('invalid', 'the accounts of an answer are too long')

/**
 * Asks for accounts in zstd, and in plain base64 if the endpoint refuses zstd or its answer cannot be decoded.
 * Remembers that by method, once base64 was answered.
 */
export async function inShortest<T>(
  endpoint: RpcEndpoint,
  method: string,
  ask: (encoding: AccountEncoding) => Promise<T>,
): Promise<T> {
  const what = `${method} in zstd`
  if (!offers(endpoint, what)) return ask('base64')
  try {
    return await ask('base64+zstd')
  } catch (error) {
    if (!mayBeTheEncoding(error)) throw error
    const answer = await ask('base64')
    noteRefused(endpoint, what)
    return answer
  }
}

/** JSON-RPC's code of an unknown method, and Solana's of a program whose accounts are not listed. */
const ABOUT_METHODS: ReadonlySet<number> = new Set([-32601, -32010])

function mayBeTheEncoding(error: unknown): boolean {
  if (error instanceof Unreadable) return true
  if (!(error instanceof RpcRefusal) || ABOUT_METHODS.has(error.code)) return false
  return error.kind === 'unsupported' || error.kind === 'other'
}
