import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
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

/** keccak256('Transfer(address,address,uint256)'), ERC-20 and ERC-721. */
export const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** keccak256('ERC20Transfer(address,address,uint256)') of ERC-404, whose `Transfer` has an NFT id. */
export const UNITS_TRANSFER: Hex = '0xe59fdd36d0d223c0c7d996db7ad796880f45e1936cb0bb7ac102e7082e031487'
/** keccak256('Approval(address,address,uint256)'), ERC-20 and ERC-721. */
export const APPROVAL: Hex = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'

export function topicOfAddress(address: EvmAddress): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}

const PREFIX_DIGITS = 38

export function topicOfPrefix(address: EvmAddress): Hex {
  return `0x${address.slice(2, 2 + PREFIX_DIGITS).padEnd(64, '0')}`
}

/** Wallets may share a prefix. */
export function walletsByTopic(
  wallets: readonly EvmAddress[],
  { prefixes }: { prefixes: boolean },
): ReadonlyMap<Hex, readonly EvmAddress[]> {
  return new Map([...Map.groupBy(wallets, topicOfAddress), ...(prefixes ? Map.groupBy(wallets, topicOfPrefix) : [])])
}

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
  { limits }: { limits: { logTimeoutMs: number } },
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

type Place = 1 | 2 | 3

/** Logs that give a wallet a position ID. */
export type KeyLogs = {
  contract: EvmAddress
  topic: Hex
  /** `data`: the position ID is its first word. */
  walletAt: Place
  keyAt: Place | 'data'
  /** `prefix`: the first 19 bytes, which sub-accounts share. */
  walletAs?: 'prefix'
  /** Topic of a contract, which a deployment must recognise. */
  contractAt?: Place
  differing?: readonly [Place, Place]
}

/** With `any`, a deployment must recognise the contract. */
export type SearchedLogs = KeyLogs | { contract: 'any'; topic: Hex; walletAt: Place; walletAs?: never }

export const isKeyLogs = (logs: SearchedLogs): logs is KeyLogs => logs.contract !== 'any'

export function searchedLogsName(logs: SearchedLogs): string {
  if (!isKeyLogs(logs)) return [logs.contract, logs.topic, logs.walletAt].join(' ')
  const { contract, topic, walletAt, keyAt, walletAs, contractAt, differing } = logs
  const more = [walletAs, contractAt, differing].filter((part) => part !== undefined)
  return [contract, topic, walletAt, keyAt, ...more].join(' ')
}
