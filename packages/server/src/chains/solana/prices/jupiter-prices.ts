import type { Address } from '../../../domain/address.ts'
import { NATIVE_SOL, WRAPPED_SOL } from '../../../domain/solana-address.ts'
import type { Token } from '../../../domain/token.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { at, numberFrom, usdFrom } from '../../../prices/exact-json.ts'
import type { PriceScope, PriceSource, Quote } from '../../../prices/price-source.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import { getExactJson, type PriceApiOptions, quotePage } from '../../../prices/sources/price-api.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import { findUnsellable } from './find-unsellable.ts'

type JupiterOptions = PriceApiOptions & { apiKey?: string }

/** Limit of the service. */
const MINTS_PER_CALL = 50
/** Jupiter omits tokens without a reliable price. */
const CONFIDENCE_BY_LIQUIDITY: readonly { liquidityUsd: number; confidence: number }[] = [
  { liquidityUsd: 1_000_000, confidence: 0.9 },
  { liquidityUsd: 250_000, confidence: 0.8 },
  { liquidityUsd: 50_000, confidence: 0.7 },
  { liquidityUsd: 10_000, confidence: 0.5 },
]
/** Enough for listed tokens only. */
const LITTLE_CONFIDENCE = 0.3

/** `GET /price/v3`: a token's last swap. Current prices only. */
export function createJupiterPrices(options: JupiterOptions): PriceSource<SolanaReader> {
  return {
    name: 'jupiter',
    open: (scope) => ({
      expects: () => false,
      quote: (tokens) => sellableQuotes(options, scope, tokens),
    }),
  }
}

async function sellableQuotes(
  options: JupiterOptions,
  { chain, reader, owner, asOf, witness }: PriceScope<SolanaReader>,
  tokens: readonly Token[],
): Promise<ReadonlyMap<Address, Quote | UpstreamError>> {
  if (asOf !== undefined || chain.family !== 'solana') return new Map()
  const quotes = await askAll(options, tokens)
  const unlisted = tokens.filter(({ address, listed }) => !listed && quotes.has(address))
  const unsellable = await findUnsellable(
    reader,
    owner,
    unlisted.map(({ address }) => address),
  )
  for (const token of unsellable) quotes.delete(token)
  for (const quote of quotes.values()) {
    if (quote instanceof UpstreamError) continue
    const { token, usd, source, confidence } = quote.price
    witness?.({ token, usd, source, confidence, path: [{ kind: 'markets', rate: usd }] })
  }
  return quotes
}

async function askAll(options: JupiterOptions, tokens: readonly Token[]): Promise<Map<Address, Quote | UpstreamError>> {
  const pages = pagesOf(tokens, MINTS_PER_CALL).map((page) =>
    quotePage(
      page,
      () => ask(options, page),
      (token, answer) => quoteFrom(token, at(answer, mintOf(token))),
    ),
  )
  return new Map((await Promise.all(pages)).flat())
}

async function ask({ apiKey, ...options }: JupiterOptions, page: readonly Token[]): Promise<unknown> {
  const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey }
  const mints = [...new Set(page.map(mintOf))]
  const answer = await getExactJson('jupiter', options, `/price/v3?ids=${mints.join(',')}`, headers)
  if (typeof answer === 'object' && answer !== null) return answer
  throw new UpstreamError('invalid', 'jupiter: the answer is not an object')
}

function mintOf({ address }: Token): Address {
  return address === NATIVE_SOL ? WRAPPED_SOL : address
}

/** Other decimals: the price is for another token. */
function quoteFrom(token: Token, found: unknown): Quote | undefined {
  const usd = usdFrom(at(found, 'usdPrice'))
  const decimals = numberFrom(at(found, 'decimals'))
  if (usd === undefined || (decimals !== undefined && decimals !== token.decimals)) return undefined
  const liquidity = numberFrom(at(found, 'liquidity')) ?? 0
  const row = CONFIDENCE_BY_LIQUIDITY.find(({ liquidityUsd }) => liquidity >= liquidityUsd)
  const { chain, address } = token
  const confidence = row?.confidence ?? LITTLE_CONFIDENCE
  return { price: { chain, token: address, usd, source: 'jupiter', confidence } }
}

const [URL_VARIABLE, KEY_VARIABLE] = ['COFFER_JUPITER_URL', 'COFFER_JUPITER_KEY']

export const jupiterSource: PriceSourceModule<SolanaReader> = {
  name: 'jupiter',
  leavesNode: true,
  needsNoState: false,
  settings: [
    { variable: URL_VARIABLE, kind: 'url', otherwise: 'https://api.jup.ag' },
    { variable: KEY_VARIABLE, kind: 'key' },
  ],
  create({ setting }) {
    const apiKey = setting(KEY_VARIABLE)
    return createJupiterPrices({ baseUrl: setting(URL_VARIABLE) ?? '', ...(apiKey !== undefined && { apiKey }) })
  },
}
