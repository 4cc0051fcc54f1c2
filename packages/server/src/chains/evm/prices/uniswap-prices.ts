import type { ContractFunctionReturnType } from 'viem'
import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Token } from '../../../domain/token.ts'
import { askApart } from '../../../lib/ask-apart.ts'
import { pagesOf } from '../../../lib/pages.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Pool } from '../../../prices/pool.ts'
import { quoteByPools } from '../../../prices/pool-market.ts'
import type { PriceScope, PriceSource, Quote } from '../../../prices/price-source.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import type { PoolFactory } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { saleProbe } from '../reader/sale-probe.ts'
import { poolLens } from './pool-lens.bytecode.ts'
import quoteTokenRows from './quote-tokens.json' with { type: 'json' }
import type { EvmSourceContext } from './sources.ts'

export type ChainPoolFactory = PoolFactory & { chain: string }

type QuoteTokenRow = { chain: string; token: string; symbol: string; decimals: number }

/** In addition to the wrapped native coins. Fantom has none: its bridged dollars lost their backing. */
export const PUBLISHED_QUOTE_TOKENS: readonly QuoteTokenRow[] = quoteTokenRows

const V2_FEE_MILLIONTHS = 3_000
const V3_FEE_TIERS = [100, 500, 3_000, 10_000]

type SourceRows = { factories: readonly ChainPoolFactory[]; quoteTokens: readonly QuoteTokenRow[] }

/** By the deepest pool against a priced token. */
export function createUniswapPrices(rows: SourceRows): PriceSource<EvmReader> {
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

/** `feeTiers` empty: constant-product pairs, which keep `feeMillionths` of a sale. */
type SearchedFactory = { factory: EvmAddress; feeMillionths: number; feeTiers: readonly number[] }

/** `words`: of the lens, by index of the factory. */
type Market = { factories: readonly SearchedFactory[]; words: readonly bigint[]; quoteTokens: readonly EvmToken[] }

function marketOf({ chain }: PriceScope<EvmReader>, rows: SourceRows): Market {
  const ofChain = rows.factories.filter((row) => row.chain === chain.key)
  const searched = ofChain.map(({ factory, kind, feeTiers = V3_FEE_TIERS, feeMillionths = V2_FEE_MILLIONTHS }) => ({
    factory,
    feeMillionths,
    feeTiers: kind === 'uniswap_v2' ? [] : feeTiers,
  }))
  const packed = [...new Map(searched.map((one) => [one.factory, one])).values()].flatMap(packedFactory)
  const { wrappedNative, native } = chain
  const wrapped = wrappedNative && { token: wrappedNative, symbol: `W${native.symbol}`, decimals: native.decimals }
  const quotes = [...(wrapped ? [wrapped] : []), ...rows.quoteTokens.filter((row) => row.chain === chain.key)]
  return {
    factories: packed.map(({ factory }) => factory),
    words: packed.map(({ word }) => word),
    quoteTokens: quotes.map(({ token, ...named }) => {
      const address = evmAddress(token)
      return { ...named, chain: chain.key, address, name: named.symbol, listed: true }
    }),
  }
}

const FEES_PER_WORD = 4
const FEE_BITS = 24n

function packedFactory(factory: SearchedFactory): { factory: SearchedFactory; word: bigint }[] {
  const at = BigInt(factory.factory) << 96n
  const fees = factory.feeTiers.map(BigInt)
  if (fees.length === 0) return [{ factory, word: at }]
  return pagesOf(fees, FEES_PER_WORD).map((page) => ({
    factory,
    word: page.toReversed().reduce((word, fee) => (word << FEE_BITS) | fee, 0n) | at,
  }))
}

async function quoteTokens(
  { chain, reader, anchors, owner, witness }: PriceScope<EvmReader>,
  market: Market,
  tokens: readonly EvmToken[],
): Promise<ReadonlyMap<Address, Quote | UpstreamError>> {
  if (market.factories.length === 0) return new Map()
  const wrapped = chain.wrappedNative === null ? null : evmAddress(chain.wrappedNative)
  const unlisted = new Set(tokens.flatMap(({ address, listed }) => (listed ? [] : [address])))
  const seller = owner === undefined ? undefined : { owner: evmAddress(owner), unlisted }
  return quoteByPools(
    {
      anchors,
      quoteTokens: market.quoteTokens,
      witness,
      traded: ({ address }) => (address === NATIVE ? wrapped : address),
      block: async () => (await reader.header()).number,
      readPools: async (wanted) => {
        const found = await readPools(reader, market, wanted.map(evmAddress), seller)
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

/** `sellableRaw`: unlisted tokens of the owner that reach the pool. Absent if not probed. */
type FoundPool = { at: EvmAddress; token: EvmAddress; quote: EvmAddress; pool: Pool; sellableRaw?: bigint }

/** The owner's pool share is deducted. Sales of `unlisted` tokens are simulated. */
type Seller = { owner: EvmAddress; unlisted: ReadonlySet<EvmAddress> }

/** Within a call's gas, even with deep pools. */
const TOKENS_PER_CALL = 8

async function readPools(
  reader: EvmReader,
  market: Market,
  wanted: readonly EvmAddress[],
  seller: Seller | undefined,
): Promise<FoundPool[]> {
  const quotes = market.quoteTokens.map(({ address }) => address)
  const isUnlisted = (token: EvmAddress) => seller?.unlisted.has(token) ?? false
  const readOf = (page: readonly EvmAddress[], owner: EvmAddress, probed: readonly boolean[]) =>
    ({ functionName: 'pools', args: [[...page], quotes, market.words, { owner, probed }] }) as const
  const heldPools = reader.heldLens(poolLens, (token, owner) => readOf([token], owner, [false]))
  const ofHeld = new Map(
    wanted.flatMap((token) => {
      const pools = seller && !isUnlisted(token) ? heldPools(token, seller.owner) : undefined
      return pools ? [[token, pools] as const] : []
    }),
  )
  // Sorted, so that the next read makes the same calls.
  const tokens = wanted.filter((token) => !ofHeld.has(token)).sort()
  const poolsOf = async (page: readonly EvmAddress[]) => {
    const probed = page.map(isUnlisted)
    const standIn = seller && probed.includes(true) ? { at: seller.owner, lens: saleProbe } : undefined
    return [{ page, pools: await reader.lens(poolLens, readOf(page, seller?.owner ?? NATIVE, probed), standIn) }]
  }
  /** An unlisted token that reverts has no pool. */
  const unlessUnlisted = (token: EvmAddress, error: unknown) => {
    if (!isUnlisted(token)) throw error
  }
  const found = await Promise.all([
    ...[...ofHeld].map(async ([token, pools]) => [{ page: [token], pools: await pools }]),
    ...pagesOf(tokens, TOKENS_PER_CALL).map((page) => askApart(page, poolsOf, unlessUnlisted)),
  ])
  return found.flat().flatMap(({ page, pools }) =>
    pools.flatMap((state) => {
      const [token, quote] = [page[Number(state.token)], quotes[Number(state.quote)]]
      const factory = market.factories[Number(state.factory)]
      const pool = token && quote && factory && poolOf(state, factory, token < quote)
      if (!pool) return []
      const sellable = isUnlisted(token) && { sellableRaw: state.arrived < state.held ? 0n : state.held }
      return [{ at: evmAddress(state.at), token, quote, pool, ...sellable }]
    }),
  )
}

type LensPool = ContractFunctionReturnType<typeof poolLens.abi, 'nonpayable', 'pools'>[number]

/** Undefined if the seller owns the whole pair. */
function poolOf(state: LensPool, factory: SearchedFactory, tokenIs0: boolean): Pool | undefined {
  const { tokenReserve, quoteReserve, sqrtPriceX96, liquidity, tick, knownTo } = state
  if (factory.feeTiers.length === 0) {
    if (tokenReserve === 0n || quoteReserve === 0n) return undefined
    return { kind: 'uniswap_v2', tokenReserve, quoteReserve, feeMillionths: factory.feeMillionths }
  }
  return {
    kind: 'uniswap_v3',
    tokenIs0,
    sqrtPriceX96,
    tick,
    liquidity,
    knownTo,
    meanTick: state.hasMean ? state.meanTick : null,
    quoteBalance: quoteReserve,
    crossings: state.ticks.map((at, i) => ({ tick: at, net: state.nets[i] ?? 0n })),
    feeMillionths: state.fee,
  }
}
