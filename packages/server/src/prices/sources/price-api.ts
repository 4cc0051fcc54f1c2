import type { Address } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import { httpRequest } from '../../lib/http-client.ts'
import { UpstreamError, upstreamOnly } from '../../lib/upstream-error.ts'
import { parseExactJson } from '../exact-json.ts'
import type { Quote } from '../price-source.ts'

export async function quotePage<A>(
  page: readonly Token[],
  ask: () => Promise<A>,
  quoteFrom: (token: Token, answer: A) => Quote | undefined,
): Promise<(readonly [Address, Quote | UpstreamError])[]> {
  const answer = await ask().catch(upstreamOnly)
  return page.flatMap((token) => {
    const quote = answer instanceof UpstreamError ? answer : quoteFrom(token, answer)
    return quote ? [[token.address, quote] as const] : []
  })
}

/** `baseUrl` may carry a key. */
export type PriceApiOptions = { baseUrl: string; timeoutMs?: number }

const TIMEOUT_MS = 4_000
const MAX_BYTES = 1_000_000

/** Errors name only the source. */
export async function getExactJson(
  source: string,
  { baseUrl, timeoutMs = TIMEOUT_MS }: PriceApiOptions,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  try {
    const url = `${baseUrl.replace(/\/+$/, '')}${path}`
    const { status, body } = await httpRequest({ url, headers, timeoutMs, maxBytes: MAX_BYTES })
    if (status === 429) throw new UpstreamError('rate-limited', 'too many requests')
    if (status !== 200) throw new UpstreamError('unavailable', `status ${status}`)
    return parseExactJson(body)
  } catch (error) {
    const { reason, message } = upstreamOnly(error)
    throw new UpstreamError(reason, `${source}: ${message}`)
  }
}

/** CoinGecko's IDs. Only symbols that are unambiguous on every chain. */
const COIN_IDS: ReadonlyMap<string, string> = new Map([
  ['ETH', 'ethereum'],
  ['BTC', 'bitcoin'],
  ['SOL', 'solana'],
  ['BNB', 'binancecoin'],
  ['POL', 'polygon-ecosystem-token'],
  ['AVAX', 'avalanche-2'],
  ['XDAI', 'xdai'],
  ['FTM', 'fantom'],
  ['CELO', 'celo'],
  ['MNT', 'mantle'],
])

export function findCoinId(symbol: string): string | undefined {
  return COIN_IDS.get(symbol.toUpperCase())
}
