import { NATIVE } from '../../../domain/evm-address.ts'
import type { FeedLeg } from './chainlink-feed.ts'
import feeds from './chainlink-feeds.json' with { type: 'json' }
import heartbeats from './chainlink-heartbeats.json' with { type: 'json' }
import type { FeedRow } from './chainlink-prices.ts'

const HOUR = 3600
/**
 * Heartbeat of feeds whose own is not known, and of all feeds at past blocks, when most promised no more than one
 * update a day.
 */
const DAY = 24 * HOUR
/** Currency markets close from Friday to Sunday night; the last figure of a week stands for two days. */
const FX = 2 * DAY

/** Seconds by aggregator, from `scripts/chainlink-heartbeats.ts`; those of Optimism and Gnosis are not known. */
const PROMISED = new Map(Object.values(heartbeats).flatMap((ofChain) => Object.entries<number>(ofChain)))

/** Pairs of currencies, whose markets close on weekends. */
const CURRENCIES = /^(AUD|CAD|CHF|CNY|EUR|GBP|JPY|SGD)\//

/** Tokens, or `native`, with the pairs whose product is their price in USD. */
type TokenPairs = Readonly<Record<string, readonly string[]>>

/** Aggregators by pair. `tokens` are priced with every read of a wallet, `others` where one is held. */
type ChainFeeds = { aggregators: Readonly<Record<string, string>>; tokens: TokenPairs; others: TokenPairs }

/**
 * Chainlink's published aggregators, as `@aave-dao/aave-address-book` lists them (a test compares them), and the tokens
 * that they price; the other pairs are for exchange rates. The wrapped native coin follows the native one. POL is
 * priced by the feed MATIC/USD, whose coin it replaced one to one, and xDAI by DAI/USD. Fantom has no published feed:
 * it needs pools over an anchor of the configuration, or an API. A token has a row only if the feed is for that token, by
 * Chainlink's directory, and is not being retired; shares and staked coins have none, since their protocols state rates.
 */
const FEEDS: Readonly<Record<string, ChainFeeds>> = feeds

/**
 * Chainlink's directory states how long each feed may be silent: on some chains half a minute. A node may lag by more,
 * so that the heartbeat is at least an hour.
 */
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

/** Addresses of a chain's published aggregators. */
export function aggregatorsOf(chain: string): string[] {
  return Object.values(FEEDS[chain]?.aggregators ?? {})
}

/** A published aggregator by chain and pair, e.g. `ethereum`, `EUR/USD`. */
export function findAggregator(chain: string, pair: string): FeedLeg | undefined {
  return legs.get(`${chain} ${pair}`)
}

/** Chains with published aggregators, in the order in which they are worth asking for an exchange rate. */
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
