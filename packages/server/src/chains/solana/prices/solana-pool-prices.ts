import { NATIVE_SOL, type SolanaAddress, WRAPPED_SOL } from '../../../domain/solana-address.ts'
import type { Token } from '../../../domain/token.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { attempt, UpstreamError } from '../../../lib/upstream-error.ts'
import { type MarketPool, quoteByPools } from '../../../prices/pool-market.ts'
import type { PriceScope, PriceSource } from '../../../prices/price-source.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import { readAccounts } from '../protocols/account-reads.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import { findUnsellable } from './find-unsellable.ts'
import { noteFound, type PlacedPool, type PoolHead, type PoolSearch, placesOf } from './pool-search.ts'
import { whirlpoolPools } from './range-pools.ts'
import { raydiumClmmPools, raydiumCpmmPools } from './raydium-pools.ts'

const programs = [whirlpoolPools, raydiumClmmPools, raydiumCpmmPools]

const QUOTE_TOKENS = [
  { address: WRAPPED_SOL, symbol: 'SOL', decimals: 9 },
  { address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6 },
  { address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', symbol: 'USDT', decimals: 6 },
]

/** Per quote token and pool type. */
const LOOKED_INTO = 3
const REMEMBERED_TOKENS = 5_000

/** Current prices, in two round trips. Knows mainnet's program addresses only. */
export function createSolanaPoolPrices(): PriceSource<SolanaReader> {
  const quotes = QUOTE_TOKENS.map(({ address }) => address)
  const search: PoolSearch = { programs, quotes, known: new BoundedMap(REMEMBERED_TOKENS) }
  return {
    name: 'solana_pools',
    perStored: true,
    open(scope) {
      const { chain, reader, anchors, asOf, witness } = scope
      const quoteTokens = QUOTE_TOKENS.map((token) => ({
        ...token,
        chain: chain.key,
        name: token.symbol,
        listed: true,
      }))
      return {
        expects: () => false,
        async quote(tokens) {
          if (asOf !== undefined) return new Map()
          const unlisted = new Set(tokens.flatMap(({ address, listed }) => (listed ? [] : [address])))
          const market = {
            anchors,
            quoteTokens,
            witness,
            traded: ({ address }: Token) => (address === NATIVE_SOL ? WRAPPED_SOL : address),
            block: async () => (await reader.clock()).slot,
            readPools: (wanted: readonly SolanaAddress[]) => readPools(search, scope, unlisted, wanted),
          }
          // One read searches a limited number.
          return quoteByPools(
            market,
            [...tokens].sort((a, b) => Number(b.listed) - Number(a.listed)),
          )
        },
      }
    },
  }
}

type Found = MarketPool | { token: SolanaAddress; error: UpstreamError }

async function readPools(
  search: PoolSearch,
  { reader, owner }: PriceScope<SolanaReader>,
  unlisted: ReadonlySet<SolanaAddress>,
  tokens: readonly SolanaAddress[],
): Promise<Found[]> {
  const { time } = await reader.clock()
  const places = placesOf(search, tokens, time)
  const heads = await Promise.all(
    [...places].map(async ([token, placed]) => ({ token, ...(await readHeads(reader, placed, time)) })),
  )
  for (const { token, existing } of heads) noteFound(search, token, existing, time)
  const traded = heads.flatMap(({ token, pools }) => (pools.length > 0 && unlisted.has(token) ? [token] : []))
  const judging = findUnsellable(reader, owner, traded)
  const found = await Promise.all(
    heads.map(async ({ token, pools, errors }) => [
      ...(await Promise.all(deepest(pools, token).map((pool) => finish(reader, { ...pool, token, time })))),
      ...errors.map((error) => ({ token, error })),
    ]),
  )
  const unsellable = await judging
  return found.flat(2).map((each) => (unsellable.has(each.token) ? { ...each, sellableRaw: 0n } : each))
}

type OpenPool = PlacedPool & { head: PoolHead }

async function readHeads(
  reader: SolanaReader,
  placed: readonly PlacedPool[],
  time: number,
): Promise<{ existing: PlacedPool[]; pools: OpenPool[]; errors: UpstreamError[] }> {
  const accounts = await reader.accounts(placed.map(({ at }) => at))
  const opened = placed.flatMap((place, index) => {
    const account = accounts[index]
    // Anyone can send SOL to the address.
    if (account?.owner !== place.program.program) return []
    return [{ place, head: attempt(() => place.program.open(account, time)) }]
  })
  return {
    existing: opened.map(({ place }) => place),
    pools: opened.flatMap(({ place, head }) => (head && !(head instanceof UpstreamError) ? [{ ...place, head }] : [])),
    errors: opened.flatMap(({ head }) => (head instanceof UpstreamError ? [head] : [])),
  }
}

function deepest(pools: readonly OpenPool[], token: SolanaAddress): OpenPool[] {
  const groups = Map.groupBy(pools, ({ program, quote }) => `${program.kind} ${quote}`)
  const weightOf = (pool: OpenPool) => pool.head.weight(isFirst(pool.head, token))
  return [...groups.values()].flatMap((group) =>
    group
      .filter((pool) => weightOf(pool) > 0n)
      .toSorted((a, b) => (weightOf(a) < weightOf(b) ? 1 : -1))
      .slice(0, LOOKED_INTO),
  )
}

const isFirst = ({ mints }: PoolHead, token: SolanaAddress) => mints[0] === token

async function finish(
  reader: SolanaReader,
  { head, quote, program, token, time }: OpenPool & { token: SolanaAddress; time: number },
): Promise<Found[]> {
  const tokenIs0 = isFirst(head, token)
  const accounts = await readAccounts(reader, head.needs(tokenIs0))
  const pool = attempt(() => head.finish(tokenIs0, accounts, time))
  if (pool instanceof UpstreamError) return [{ token, error: pool }]
  return pool ? [{ at: head.address, token, quote, source: program.source, pool }] : []
}

export const poolSource: PriceSourceModule<SolanaReader> = {
  name: 'solana_pools',
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: createSolanaPoolPrices,
}
