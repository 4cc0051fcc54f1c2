import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import {
  type Hex,
  listOf,
  parseAddress,
  parseBlockTime,
  parseData,
  parseHash,
  parseQuantity,
  randomAddress,
  randomWord,
} from '../rpc-values.ts'

/** Per position: one value, any of several, or null for any. At least one position has a value. */
export type TopicFilter = readonly (Hex | readonly Hex[] | null)[]

export type EventLog = {
  address: EvmAddress
  topics: Hex[]
  data: Hex
  blockNumber: bigint
  blockHash: Hex
  /** Unix seconds; null if the node's logs carry none. */
  blockTime: number | null
  transactionHash: Hex
  logIndex: number
}

/** Rejects an answer with logs that do not match. */
export function logRequest(
  { limits }: RpcEndpoint,
  { addresses }: { addresses?: readonly EvmAddress[] },
  topics: TopicFilter,
  { fromBlock, toBlock }: BlockRange,
): RpcRequest<EventLog[]> {
  const filter = {
    fromBlock: `0x${fromBlock.toString(16)}`,
    toBlock: `0x${toBlock.toString(16)}`,
    topics,
    ...(addresses && { address: addresses }),
  }
  return {
    method: 'eth_getLogs',
    params: [filter],
    timeoutMs: limits.logTimeoutMs,
    parse(result) {
      const logs = listOf(result, 'a list of logs').map(parseLog)
      const isAsked = ({ blockNumber, topics: found }: EventLog) =>
        blockNumber >= fromBlock && blockNumber <= toBlock && matches(topics, found)
      if (!logs.every(isAsked))
        throw new UpstreamError('invalid', 'the node answered with logs that were not requested')
      return logs
    },
  }
}

/** Matches nothing. */
export function neutralSearch(
  filters: readonly TopicFilter[],
  { addresses }: { addresses?: readonly EvmAddress[] },
): { filters: TopicFilter[]; addresses?: EvmAddress[] } {
  const random = randomWord()
  const neutral = filters.map((topics) => {
    const keepsEvent = addresses !== undefined || topics.slice(1).some((values) => values !== null)
    return topics.map((values, i) => (values === null || (i === 0 && keepsEvent) ? values : random))
  })
  const distinct = new Map(neutral.map((topics) => [JSON.stringify(topics), topics]))
  return { filters: [...distinct.values()], ...(addresses && { addresses: [randomAddress()] }) }
}

function parseLog(value: unknown): EventLog {
  if (!isRecord(value) || !Array.isArray(value['topics']) || value['topics'].length > 4 || value['removed'] === true) {
    throw new UpstreamError('invalid', 'expected a log')
  }
  return {
    address: parseAddress(value['address']),
    topics: value['topics'].map(parseHash),
    data: parseData(value['data']),
    blockNumber: parseQuantity(value['blockNumber']),
    blockHash: parseHash(value['blockHash']),
    blockTime: parseBlockTime(value['blockTimestamp']),
    transactionHash: parseHash(value['transactionHash']),
    logIndex: Number(parseQuantity(value['logIndex'])),
  }
}

function matches(filter: TopicFilter, topics: readonly Hex[]): boolean {
  return filter.every((wanted, i) => {
    const topic = topics[i]
    return topic !== undefined && (wanted === null || [wanted].flat().includes(topic))
  })
}

export function inOrder(logs: readonly EventLog[]): EventLog[] {
  const byPlace = new Map(logs.map((log) => [`${log.blockNumber}:${log.logIndex}`, log]))
  return [...byPlace.values()].sort((a, b) =>
    a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : Number(a.blockNumber - b.blockNumber),
  )
}
