import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { monotonicClock } from '../../../lib/clock.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { type HttpResponse, httpRequest } from '../../../lib/http-client.ts'
import type { Secret } from '../../../lib/secret.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { at, parseExactJson } from '../../../prices/exact-json.ts'
import type { FieldPath, HttpProofSource } from '../../airdrops.ts'
import { isSolanaAddress } from '../codec/address.ts'
import type { Allocation } from '../distributors/merkle-proof.ts'

/** Untrusted until proven. */
export type SaidClaim = { distributor: SolanaAddress; allocation: Allocation; proof: readonly Uint8Array[] }

/** Rejects with `UpstreamError` that names only the source. */
export type AskProofs = (source: HttpProofSource, wallet: SolanaAddress) => Promise<SaidClaim[]>

const TIME_LIMIT_MS = 5_000
/** A proof has some 4 kB, a list of a hundred airdrops some 50. */
const MAX_BYTES = 1_000_000
const AT_ONCE = 5
/** A deeper tree has more leaves than there are wallets. */
const MOST_SIBLINGS = 64
const HASH_BYTES = 32
const U64_MAX = 2n ** 64n - 1n
const DIGITS = /^(0|[1-9]\d{0,19})$/
/** Longer texts are a proxy's page, not a refusal. */
const MOST_TEXT = 200

export function createAskProofs(urls: ReadonlyMap<string, Secret>, timeLimitMs = TIME_LIMIT_MS): AskProofs {
  return async function askProofs(source, wallet) {
    const until = monotonicClock.now() + timeLimitMs
    const get = async (template: string, distributor = ''): Promise<HttpResponse> => {
      const filled = template.replaceAll('{owner}', wallet).replaceAll('{distributor}', distributor)
      const timeoutMs = Math.max(1, Math.floor(until - monotonicClock.now()))
      return httpRequest({ url: relocated(filled, urls.get(source.key)), timeoutMs, maxBytes: MAX_BYTES })
    }
    try {
      if (!source.directory) return claimsIn(source, await get(source.url))
      const distributors = distributorsIn(source.directory, await get(source.directory.url))
      const gate = createGate(AT_ONCE)
      const claims = await Promise.all(
        distributors.map((distributor) =>
          gate(async () => claimsIn({ ...source, distributor }, await get(source.url, distributor))),
        ),
      )
      return claims.flat()
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      throw new UpstreamError(error.reason, `${source.key}: ${error.message}`)
    }
  }
}

function relocated(url: string, base: Secret | undefined): string {
  if (!base) return url
  const { pathname, search } = new URL(url)
  return `${base.reveal().replace(/\/+$/, '')}${pathname}${search}`
}

function claimsIn(source: HttpProofSource, response: HttpResponse): SaidClaim[] {
  const answer = parseAnswer(response, source.none?.text ?? false)
  if (answer === undefined) return []
  const flag = source.none?.field && at(answer, ...source.none.field)
  if (flag !== undefined && flag !== null && flag !== '') return []
  if (!source.list) return [readClaim(source, answer)]
  return listIn(answer, source.list)
    .filter((item) => isOfMint(source, item))
    .map((item) => readClaim(source, item))
}

function isOfMint({ mint, fields }: HttpProofSource, item: unknown): boolean {
  const said = fields.mint && at(item, ...fields.mint)
  return mint === undefined || said === undefined || said === mint
}

function parseAnswer({ status, headers, body }: HttpResponse, textIsNone: boolean): unknown {
  if (status === 404) return undefined
  if (status === 429) throw new UpstreamError('rate-limited', 'too many requests')
  if (status !== 200) throw new UpstreamError('unavailable', `status ${status}`)
  if (textIsNone && isPlainText(headers['content-type'] ?? '', body)) return undefined
  return parseExactJson(body)
}

function isPlainText(contentType: string, body: string): boolean {
  const text = body.trim()
  return text.length <= MOST_TEXT && !contentType.includes('html') && !/^[<{[]/.test(text)
}

function distributorsIn(
  { list, distributor, limit }: NonNullable<HttpProofSource['directory']>,
  response: HttpResponse,
): SolanaAddress[] {
  const answer = parseAnswer(response, false)
  if (answer === undefined) return []
  const items = listIn(answer, list)
  if (items.length >= limit) throw new UpstreamError('invalid', `more than ${limit - 1} airdrops: the list is cut off`)
  return [...new Set(items.map((item) => addressIn(item, distributor)))]
}

function readClaim({ fields, distributor, mint }: HttpProofSource, item: unknown): SaidClaim {
  const said = fields.distributor ? addressIn(item, fields.distributor) : distributor
  if (said === undefined || (distributor !== undefined && said !== distributor)) {
    throw new UpstreamError('invalid', 'the answer names another distributor')
  }
  const ofMint = fields.mint && at(item, ...fields.mint)
  if (mint !== undefined && ofMint !== undefined && ofMint !== mint) {
    throw new UpstreamError('invalid', 'the answer names another token')
  }
  const locked = fields.locked && at(item, ...fields.locked)
  const allocation = {
    unlockedRaw: amountIn(item, fields.unlocked),
    lockedRaw: fields.locked && locked !== undefined && locked !== null ? amountIn(item, fields.locked) : 0n,
  }
  return { distributor: said, allocation, proof: proofIn(item, fields.proof) }
}

function valueIn<T>(item: unknown, path: FieldPath, what: string, from: (value: unknown) => T | undefined): T {
  const value = from(at(item, ...path))
  if (value !== undefined) return value
  throw new UpstreamError('invalid', `${path.join('.')} is no ${what}`)
}

const listIn = (answer: unknown, path: FieldPath): unknown[] =>
  valueIn(answer, path, 'list', (value) => (Array.isArray(value) ? value : undefined))

/** Base units. */
const amountIn = (item: unknown, path: FieldPath): bigint =>
  valueIn(item, path, 'amount of 64 bits', (value) => {
    const text = typeof value === 'string' ? value : at(value, 'numberText')
    const amount = typeof text === 'string' && DIGITS.test(text) ? BigInt(text) : undefined
    return amount !== undefined && amount <= U64_MAX ? amount : undefined
  })

const addressIn = (item: unknown, path: FieldPath): SolanaAddress =>
  valueIn(item, path, 'address', (value) => (typeof value === 'string' && isSolanaAddress(value) ? value : undefined))

const proofIn = (item: unknown, path: FieldPath): Uint8Array[] =>
  valueIn(item, path, 'list of hashes', (proof) => {
    const siblings = Array.isArray(proof) && proof.length <= MOST_SIBLINGS ? proof.map(hashFrom) : [undefined]
    return siblings.every((sibling) => sibling !== undefined) ? siblings : undefined
  })

function hashFrom(value: unknown): Uint8Array | undefined {
  if (!Array.isArray(value) || value.length !== HASH_BYTES) return undefined
  const bytes = value.map((byte) => Number(at(byte, 'numberText')))
  return bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255) ? Uint8Array.from(bytes) : undefined
}
