import { parseAbi } from 'viem'
import { type Decimal, fromRaw } from '../../../domain/decimal.ts'
import { evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import feeds from './chainlink-feeds.json' with { type: 'json' }
import heartbeats from './chainlink-heartbeats.json' with { type: 'json' }

const aggregatorAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])

/**
 * Publishes at least every `heartbeatSeconds`, sooner if the price moves. `pastSeconds`: heartbeat at past blocks, if
 * different.
 */
export type FeedLeg = { aggregator: string; heartbeatSeconds: number; pastSeconds?: number }

/** Product of aggregators, e.g. wstETH/ETH times ETH/USD. The native row prices the wrapped coin too. */
export type FeedRow = { chain: string; token: string; path: readonly FeedLeg[]; onDemand?: true }

export type FeedAnswer = { value: Decimal; updatedAt: number; block: bigint }

export type CheckedAnswer = FeedAnswer & { rejected: string | undefined }

/** Publication waits for a block with room. */
const HEARTBEAT_TOLERANCE = 1.25

export const STALE = 'its answer is stale'

/** Undefined without an aggregator. Throws `UpstreamError` for a rejected answer. */
export async function readFeed(reader: EvmReader, leg: FeedLeg): Promise<FeedAnswer | undefined> {
  const answer = await checkFeed(reader, leg)
  if (answer?.rejected === undefined) return answer
  throw new UpstreamError('invalid', `Chainlink aggregator ${evmAddress(leg.aggregator)}: ${answer.rejected}`)
}

export function foreseeFeed(reader: EvmReader, { aggregator }: FeedLeg): void {
  const address = evmAddress(aggregator)
  reader.foresee({ address, abi: aggregatorAbi, functionName: 'decimals' })
  reader.foresee({ address, abi: aggregatorAbi, functionName: 'latestRoundData' })
}

export async function checkFeed(reader: EvmReader, leg: FeedLeg): Promise<CheckedAnswer | undefined> {
  const address = evmAddress(leg.aggregator)
  const [header, decimals, round] = await Promise.all([
    reader.header(),
    reader.tryRead({ address, abi: aggregatorAbi, functionName: 'decimals' }),
    reader.tryRead({ address, abi: aggregatorAbi, functionName: 'latestRoundData' }),
  ])
  if (decimals === undefined || round === undefined) return undefined
  return {
    value: fromRaw(round[1], decimals),
    updatedAt: Number(round[3]),
    block: header.number,
    rejected: whyRejected(round, leg, header.timestamp),
  }
}

type Round = readonly [roundId: bigint, answer: bigint, startedAt: bigint, updatedAt: bigint, answeredInRound: bigint]

/** Undefined: usable. `timestamp`: Unix seconds of the block. */
export function whyRejected(round: Round, leg: FeedLeg, timestamp: number): string | undefined {
  const [roundId, answer, , updatedAt, answeredInRound] = round
  if (updatedAt === 0n || answeredInRound < roundId) return 'its round is not complete'
  if (answer <= 0n) return 'its answer is not positive'
  if (timestamp - Number(updatedAt) > leg.heartbeatSeconds * HEARTBEAT_TOLERANCE) return STALE
  return undefined
}

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
