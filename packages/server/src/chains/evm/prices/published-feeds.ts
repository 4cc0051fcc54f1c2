import { NATIVE } from '../../../domain/evm-address.ts'
import type { FeedLeg } from './chainlink-feed.ts'
import feeds from './chainlink-feeds.json' with { type: 'json' }
import heartbeats from './chainlink-heartbeats.json' with { type: 'json' }
import type { FeedRow } from './chainlink-prices.ts'

const HOUR = 3600
/** For unlisted feeds, and all feeds at past blocks, when most promised one update a day. */
const DAY = 24 * HOUR
/** Currency markets close from Friday to Sunday night. */
const FX = 2 * DAY

/** Seconds, from `scripts/chainlink-heartbeats.ts`; unknown for Optimism and Gnosis. */
const PROMISED = new Map(Object.values(heartbeats).flatMap((ofChain) => Object.entries<number>(ofChain)))

const CURRENCIES = /^(AUD|CAD|CHF|CNY|EUR|GBP|JPY|SGD)\//

type TokenPairs = Readonly<Record<string, readonly string[]>>

type ChainFeeds = { aggregators: Readonly<Record<string, string>>; tokens: TokenPairs; others: TokenPairs }

/**
 * Source: `@aave-dao/aave-address-book` (a test compares them). POL uses MATIC/USD, whose coin it replaced one to one;
 * xDAI uses DAI/USD. Fantom has no published feed. Shares and staked coins have none: protocols state rates.
 */
const FEEDS: Readonly<Record<string, ChainFeeds>> = feeds

/** At least an hour: nodes may lag by more than heartbeats of half a minute. */
function legOf(pair: string, aggregator: string): FeedLeg {
  if (CURRENCIES.test(pair)) return { aggregator, heartbeatSeconds: FX, pastSeconds: FX }
  const promised = PROMISED.get(aggregator.toLowerCase()) ?? DAY
  return { aggregator, heartbeatSeconds: Math.max(promised, HOUR), pastSeconds: DAY }
}

const legs = new Map(
  Object.entries(FEEDS).flatMap(([chain, { aggregators }]) =>
    Object.entries(aggregators).map(([pair, address]) => [`${chain} ${pair}`, legOf(pair, address)] as const),
  ),
)

export function aggregatorsOf(chain: string): string[] {
  return Object.values(FEEDS[chain]?.aggregators ?? {})
}

export function findAggregator(chain: string, pair: string): FeedLeg | undefined {
  return legs.get(`${chain} ${pair}`)
}

export const aggregatorChains: readonly string[] = Object.keys(FEEDS)

function rowsOf(chain: string, tokens: TokenPairs): FeedRow[] {
  return Object.entries(tokens).map(([token, pairs]) => ({
    chain,
    token: token === 'native' ? NATIVE : token,
    path: pairs.flatMap((pair) => findAggregator(chain, pair) ?? []),
  }))
}

export const PUBLISHED_FEEDS: readonly FeedRow[] = Object.entries(FEEDS).flatMap(([chain, { tokens, others }]) => [
  ...rowsOf(chain, tokens),
  ...rowsOf(chain, others).map((row) => ({ ...row, onDemand: true as const })),
])
