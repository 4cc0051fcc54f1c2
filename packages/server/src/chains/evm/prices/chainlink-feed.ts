import { parseAbi } from 'viem'
import { type Decimal, fromRaw } from '../../../domain/decimal.ts'
import { evmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { EvmReader } from '../reader/evm-reader.ts'

const aggregatorAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])

/**
 * Publishes at least every `heartbeatSeconds`, sooner if the price moves. `pastSeconds`: heartbeat at past blocks, if
 * different.
 */
export type FeedLeg = { aggregator: string; heartbeatSeconds: number; pastSeconds?: number }

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
