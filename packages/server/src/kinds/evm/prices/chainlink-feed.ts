import { type Decimal, fromRaw } from '../../../domain/decimal.ts'
import { evmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { EvmReader } from '../reader/evm-reader.ts'

/** What Coffer reads of a Chainlink aggregator (AggregatorV3Interface). */
const aggregatorAbi = [
  { type: 'function', name: 'decimals', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint8' }] },
  {
    type: 'function',
    name: 'latestRoundData',
    stateMutability: 'view',
    inputs: [],
    outputs: [
      { name: 'roundId', type: 'uint80' },
      { name: 'answer', type: 'int256' },
      { name: 'startedAt', type: 'uint256' },
      { name: 'updatedAt', type: 'uint256' },
      { name: 'answeredInRound', type: 'uint80' },
    ],
  },
] as const

/**
 * One aggregator. It publishes at least every `heartbeatSeconds`, and sooner when the price moves. `pastSeconds`: the
 * heartbeat at past blocks; the same unless given.
 */
export type FeedLeg = { aggregator: string; heartbeatSeconds: number; pastSeconds?: number }

/** An aggregator's answer. */
export type FeedAnswer = { value: Decimal; updatedAt: number; block: bigint }

/** What an aggregator answered, and why it must not be used if so. */
export type CheckedAnswer = FeedAnswer & { rejected: string | undefined }

/** Tolerance beyond the heartbeat: publication waits for a block with room for it. */
const HEARTBEAT_TOLERANCE = 1.25

export const STALE = 'its answer is stale'

/**
 * Reads one aggregator at the reader's block. `undefined` when there is no aggregator at the address; an `UpstreamError`
 * for an incomplete round, an answer that is not positive, or a figure older than its heartbeat allows at that block.
 */
export async function readFeed(reader: EvmReader, leg: FeedLeg): Promise<FeedAnswer | undefined> {
  return acceptedAnswer(await checkFeed(reader, leg), leg)
}

/** The answer if it may be used; throws the `UpstreamError` of one that may not. */
export function acceptedAnswer(answer: CheckedAnswer | undefined, leg: FeedLeg): FeedAnswer | undefined {
  if (answer?.rejected === undefined) return answer
  throw new UpstreamError('invalid', `Chainlink aggregator ${evmAddress(leg.aggregator)}: ${answer.rejected}`)
}

/** Sends the reads of an aggregator ahead. */
export function foreseeFeed(reader: EvmReader, { aggregator }: FeedLeg): void {
  const address = evmAddress(aggregator)
  reader.foresee({ address, abi: aggregatorAbi, functionName: 'decimals' })
  reader.foresee({ address, abi: aggregatorAbi, functionName: 'latestRoundData' })
}

/** As `readFeed`, with answers that must not be used. */
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

/** Why a round must not be used as of `timestamp` (Unix seconds of the block), or `undefined` when it may. */
export function whyRejected(round: Round, leg: FeedLeg, timestamp: number): string | undefined {
  const [roundId, answer, , updatedAt, answeredInRound] = round
  if (updatedAt === 0n || answeredInRound < roundId) return 'its round is not complete'
  if (answer <= 0n) return 'its answer is not positive'
  if (timestamp - Number(updatedAt) > leg.heartbeatSeconds * HEARTBEAT_TOLERANCE) return STALE
  return undefined
}
