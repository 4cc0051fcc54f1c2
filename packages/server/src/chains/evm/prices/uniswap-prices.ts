import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Token } from '../../../domain/token.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import { quoteByPools } from '../../../prices/pool-market.ts'
import type { PriceScope, PriceSource, Quote } from '../../../prices/price-source.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import type { PoolFactory } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { PUBLISHED_QUOTE_TOKENS } from './published-quote-tokens.ts'
import { readPools, type SearchedFactory } from './read-pools.ts'
import type { EvmSourceContext } from './sources.ts'

export type ChainPoolFactory = PoolFactory & { chain: string }

export type QuoteTokenRow = { chain: string; token: string; symbol: string; decimals: number }

const V2_FEE_MILLIONTHS = 3_000
const V3_FEE_TIERS = [100, 500, 3_000, 10_000]

/**
 * Prices a token by its deepest pool against a priced token. `proceeds`: what that pool would pay after its fee, the
 * most that a holding is worth.
 */
export function createUniswapPrices(rows: {
  factories: readonly ChainPoolFactory[]
  quoteTokens: readonly QuoteTokenRow[]
}): PriceSource<EvmReader> {
  return {
    name: 'uniswap',
    open(scope) {
      const market = marketOf(scope, rows)
      return {
        expects: () => false,
        quote: (tokens: readonly EvmToken[]) => quoteTokens(scope, market, tokens),
      }
    },
  }
}

type EvmToken = Token<EvmAddress>

type Market = { factories: readonly SearchedFactory[]; quoteTokens: readonly EvmToken[] }

function marketOf(
  { chain }: PriceScope<EvmReader>,
  rows: { factories: readonly ChainPoolFactory[]; quoteTokens: readonly QuoteTokenRow[] },
): Market {
  const factories = new Map<EvmAddress, SearchedFactory>()
  for (const row of rows.factories) {
    const feeTiers = row.kind === 'uniswap_v2' ? [] : (row.feeTiers ?? V3_FEE_TIERS)
    const feeMillionths = row.feeMillionths ?? V2_FEE_MILLIONTHS
    if (row.chain === chain.key) factories.set(row.factory, { factory: row.factory, feeTiers, feeMillionths })
  }
  const tokens = rows.quoteTokens
    .filter((row) => row.chain === chain.key)
    .map((row) => tokenOf(chain.key, evmAddress(row.token), row.symbol, row.decimals))
  const { wrappedNative, native } = chain
  const wrapped = wrappedNative
    ? [tokenOf(chain.key, evmAddress(wrappedNative), `W${native.symbol}`, native.decimals)]
    : []
  return { factories: [...factories.values()], quoteTokens: [...wrapped, ...tokens] }
}

function tokenOf(chain: string, address: EvmAddress, symbol: string, decimals: number): EvmToken {
  return { chain, address, symbol, name: symbol, decimals, listed: true }
}

async function quoteTokens(
  { chain, reader, anchors, owner, witness }: PriceScope<EvmReader>,
  { factories, quoteTokens }: Market,
  tokens: readonly EvmToken[],
): Promise<ReadonlyMap<Address, Quote | UpstreamError>> {
  const wrapped = chain.wrappedNative === null ? null : evmAddress(chain.wrappedNative)
  if (factories.length === 0) return new Map()
  const quotes = quoteTokens.map(({ address }) => address)
  const unlisted = new Set(tokens.flatMap(({ address, listed }) => (listed ? [] : [address])))
  const seller = owner === undefined ? undefined : { owner: evmAddress(owner), unlisted }
  return quoteByPools(
    {
      chain: chain.key,
      anchors,
      quoteTokens,
      witness,
      traded: ({ address }) => (address === NATIVE ? wrapped : address),
      block: async () => (await reader.header()).number,
      readPools: async (wanted) => {
        const found = await readPools(reader, { tokens: wanted.map(evmAddress), quotes, factories, seller })
        return found.map((each) => ({ ...each, source: each.pool.kind }))
      },
    },
    tokens,
  )
}

export const uniswapSource: PriceSourceModule<EvmReader, EvmSourceContext> = {
  name: 'uniswap',
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: ({ factories }) => createUniswapPrices({ factories, quoteTokens: PUBLISHED_QUOTE_TOKENS }),
}
