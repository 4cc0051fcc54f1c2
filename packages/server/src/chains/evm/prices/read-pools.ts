import { type EvmAddress, evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import { askApart } from '../../../lib/ask-apart.ts'
import { pagesOf } from '../../../lib/pages.ts'
import type { Pool } from '../../../prices/pool.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { saleProbe } from '../reader/sale-probe.ts'
import { poolLens } from './pool-lens.bytecode.ts'

/** `feeTiers` empty: constant-product pairs, which keep `feeMillionths` of a sale. */
export type SearchedFactory = { factory: EvmAddress; feeMillionths: number; feeTiers: readonly number[] }

/** `sellableRaw`: unlisted tokens of the owner that reach the pool. Absent if not probed. */
export type FoundPool = { at: EvmAddress; token: EvmAddress; quote: EvmAddress; pool: Pool; sellableRaw?: bigint }

/** The owner's pool share is deducted. Sales of `unlisted` tokens are simulated. */
type Seller = { owner: EvmAddress; unlisted: ReadonlySet<EvmAddress> }

/** Within a call's gas, even with deep pools. */
const TOKENS_PER_CALL = 8

export async function readPools(
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
