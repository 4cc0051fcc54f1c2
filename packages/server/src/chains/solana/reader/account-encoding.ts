import { zstdDecompressSync } from 'node:zlib'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { RpcRefusal } from '../../rpc/json-rpc.ts'
import { noteRefused, offers } from '../../rpc/offers.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'

export type AccountEncoding = 'base64' | 'base64+zstd'

/** As many as plain base64 may carry. */
const MOST_BYTES = 24_000_000

/** A truncated text is not in whole groups of four. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

class Unreadable extends UpstreamError {
  constructor(what: string) {
    super('invalid', what)
  }
}

export type ReadData = (data: readonly unknown[]) => Buffer

/** One per answer. */
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

/** Falls back to base64, and remembers that once base64 was answered. */
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

/** Unknown method; program whose accounts are not listed. */
const ABOUT_METHODS: ReadonlySet<number> = new Set([-32601, -32010])

function mayBeTheEncoding(error: unknown): boolean {
  if (error instanceof Unreadable) return true
  if (!(error instanceof RpcRefusal) || ABOUT_METHODS.has(error.code)) return false
  return error.kind === 'unsupported' || error.kind === 'other'
}
