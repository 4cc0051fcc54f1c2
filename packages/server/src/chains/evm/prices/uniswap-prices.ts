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
import { PUBLISHED_QUOTE_TOKENS } from './published-quote-tokens.ts'
import type { EvmSourceContext } from './sources.ts'

export type ChainPoolFactory = PoolFactory & { chain: string }

export type QuoteTokenRow = { chain: string; token: string; symbol: string; decimals: number }

const V2_FEE_MILLIONTHS = 3_000
const V3_FEE_TIERS = [100, 500, 3_000, 10_000]

/**
 * Uses the deepest pool against a priced token. `proceeds`: the pool's payment after its fee, the most that a holding
 * is worth.
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

/** `feeTiers` empty: constant-product pairs, which keep `feeMillionths` of a sale. */
type SearchedFactory = { factory: EvmAddress; feeMillionths: number; feeTiers: readonly number[] }

/** `sellableRaw`: unlisted tokens of the owner that reach the pool. Absent if not probed. */
type FoundPool = { at: EvmAddress; token: EvmAddress; quote: EvmAddress; pool: Pool; sellableRaw?: bigint }

/** The owner's pool share is deducted. Sales of `unlisted` tokens are simulated. */
type Seller = { owner: EvmAddress; unlisted: ReadonlySet<EvmAddress> }

/** Within a call's gas, even with deep pools. */
const TOKENS_PER_CALL = 8

async function readPools(
  reader: EvmReader,
  search: {
    tokens: readonly EvmAddress[]
    quotes: readonly EvmAddress[]
    factories: readonly SearchedFactory[]
    seller?: Seller | undefined
  },
): Promise<FoundPool[]> {
  const { quotes, seller } = search
  const packed = search.factories.flatMap(packedFactory)
  const factories = packed.map(({ factory }) => factory)
  const words = packed.map(({ word }) => word)
  const readOf = (page: readonly EvmAddress[], owner: EvmAddress, probed: readonly boolean[]) =>
    ({ functionName: 'pools', args: [[...page], [...quotes], words, { owner, probed: [...probed] }] }) as const
  const heldPools = reader.heldLens(poolLens, (token, owner) => readOf([token], owner, [false]))
  const ofHeld = new Map(
    search.tokens.flatMap((token) => {
      const pools = seller && !seller.unlisted.has(token) ? heldPools(token, seller.owner) : undefined
      return pools ? [[token, pools] as const] : []
    }),
  )
  // Sorted, so that the next read makes the same calls.
  const tokens = search.tokens.filter((token) => !ofHeld.has(token)).sort()
  const poolsOf = async (page: readonly EvmAddress[]) => {
    const probed = page.map((token) => seller?.unlisted.has(token) ?? false)
    const standIn = seller && probed.includes(true) ? { at: seller.owner, lens: saleProbe } : undefined
    return [{ page, pools: await reader.lens(poolLens, readOf(page, seller?.owner ?? NATIVE, probed), standIn) }]
  }
  /** An unlisted token that reverts has no pool. */
  const unlessUnlisted = (token: EvmAddress, error: unknown) => {
    if (!seller?.unlisted.has(token)) throw error
  }
  const found = await Promise.all([
    ...[...ofHeld].map(async ([token, pools]) => [{ page: [token], pools: await pools }]),
    ...pagesOf(tokens, TOKENS_PER_CALL).map((page) => askApart(page, poolsOf, unlessUnlisted)),
  ])
  return found
    .flat()
    .flatMap(({ page, pools }) => pools.flatMap((state) => foundPool(state, page, { ...search, factories })))
}

const FEES_PER_WORD = 4
const FEE_BITS = 24n

/** Four fees per word. */
function packedFactory(factory: SearchedFactory): { factory: SearchedFactory; word: bigint }[] {
  const at = BigInt(factory.factory) << 96n
  const fees = factory.feeTiers.map(BigInt)
  if (fees.length === 0) return [{ factory, word: at }]
  return pagesOf(fees, FEES_PER_WORD).map((page) => ({
    factory,
    word: page.toReversed().reduce((word, fee) => (word << FEE_BITS) | fee, 0n) | at,
  }))
}

type LensPool = {
  at: `0x${string}`
  held: bigint
  arrived: bigint
  token: bigint
  quote: bigint
  factory: bigint
  fee: number
  tokenReserve: bigint
  quoteReserve: bigint
  sqrtPriceX96: bigint
  liquidity: bigint
  tick: number
  hasMean: boolean
  meanTick: number
  knownTo: number
  ticks: readonly number[]
  nets: readonly bigint[]
}

function foundPool(
  state: LensPool,
  page: readonly EvmAddress[],
  {
    quotes,
    factories,
    seller,
  }: { quotes: readonly EvmAddress[]; factories: readonly SearchedFactory[]; seller?: Seller | undefined },
): FoundPool[] {
  const token = page[Number(state.token)]
  const quote = quotes[Number(state.quote)]
  const factory = factories[Number(state.factory)]
  if (!token || !quote || !factory) return []
  const { held, arrived, tokenReserve, quoteReserve } = state
  // The seller owns the whole pair.
  if (factory.feeTiers.length === 0 && (tokenReserve === 0n || quoteReserve === 0n)) return []
  const sellable = seller?.unlisted.has(token) && { sellableRaw: arrived < held ? 0n : held }
  const at = evmAddress(state.at)
  return [{ at, token, quote, pool: poolOf(state, factory, token < quote), ...sellable }]
}

function poolOf(state: LensPool, factory: SearchedFactory, tokenIs0: boolean): Pool {
  const { tokenReserve, quoteReserve, sqrtPriceX96, liquidity, tick, knownTo } = state
  if (factory.feeTiers.length === 0) {
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
