import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Headers } from './cors.ts'

const WORTH_COMPRESSING_BYTES = 10_000
/** Four megabytes take a quarter of a second. */
const BROTLI_QUALITY = 5

type Encoding = 'br' | 'gzip' | 'identity'

export type PublicFile = { contentType: string; body: string | Buffer; headers: Headers }

export type StaticFile = {
  readonly headers: Headers
  readonly etag: string
  readonly encodings: ReadonlyMap<Encoding, Buffer>
}

export async function createStaticFile({ contentType, body, headers }: PublicFile): Promise<StaticFile> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const encodings = new Map<Encoding, Buffer>([['identity', bytes]])
  if (bytes.length >= WORTH_COMPRESSING_BYTES) {
    encodings.set('br', await promisify(brotliCompress)(bytes, { params: brotliParams(bytes.length) }))
    encodings.set('gzip', await promisify(gzip)(bytes))
  }
  return {
    headers: { ...headers, 'content-type': contentType, 'x-content-type-options': 'nosniff', etag },
    etag,
    encodings,
  }
}

/** The encoder allocates the whole window, and the process keeps that memory. */
function brotliParams(size: number): Record<number, number> {
  return {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
    [constants.BROTLI_PARAM_LGWIN]: Math.min(constants.BROTLI_DEFAULT_WINDOW, Math.ceil(Math.log2(size + 16))),
  }
}

export function encodingFor(file: StaticFile, acceptEncoding = ''): { encoding: Encoding; body: Buffer } {
  const takes = takenEncodings(acceptEncoding)
  for (const encoding of ['br', 'gzip', 'identity'] as const) {
    const body = file.encodings.get(encoding)
    if (body && (encoding === 'identity' || takes(encoding))) return { encoding, body }
  }
  throw new RangeError('a file without its own bytes')
}

function takenEncodings(acceptEncoding: string): (encoding: Encoding) => boolean {
  const accepted = new Set(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
      .map((part) => part.split(';', 1)[0]?.trim()),
  )
  return (encoding) => accepted.has(encoding) || accepted.has('*')
}

export async function compressed(body: string | Buffer, acceptEncoding = '') {
  const takes = takenEncodings(acceptEncoding)
  const params = brotliParams(body.length)
  if (takes('br')) return { encoding: 'br', body: await promisify(brotliCompress)(body, { params }) }
  if (takes('gzip')) return { encoding: 'gzip', body: await promisify(gzip)(body) }
  return { encoding: 'identity', body }
}

export function isKnown({ etag }: StaticFile, ifNoneMatch = ''): boolean {
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim() === etag)
}
