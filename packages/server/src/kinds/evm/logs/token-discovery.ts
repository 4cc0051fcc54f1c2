import type { EvmAddress } from '../../../domain/evm-address.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { StoredKey } from '../../stores.ts'
import { TRANSFER, topicOfAddress } from './erc20-events.ts'
import type { KeyLogs } from './key-logs.ts'
import type { EventLog, TopicFilter } from './logs.ts'
import { type FoundLogs, findLogs, type LogSearch } from './scan-logs.ts'

/** What logs gave to a wallet: contracts whose tokens it was sent, and keys. Anyone can create and send a token. */
export type DiscoveredTokens = Pick<FoundLogs, 'covered' | 'missing' | 'failure'> & {
  /** Fungible: the amount is in the data. */
  erc20s: EvmAddress[]
  /** By the logs that were asked for, and no others. */
  keys: (StoredKey & { block: bigint })[]
}

/** Of a token: the second topic names who received it. */
const RECEIVED = { topic: TRANSFER, walletAt: 2 } as const

/** Requests per range of blocks: one for each place at which a topic names the wallet. */
export const filterCount = (keyLogs: readonly KeyLogs[]): number => filtersFor('0x', keyLogs).length

/**
 * What logs that name `wallet` gave it in the range. Misses tokens that mint or wrap without a `Transfer`. Skips ERC-20
 * transfers of zero, which spam uses to get noticed, and key logs of other contracts than those that were asked for.
 */
export async function discoverTokens(
  search: Pick<LogSearch, 'fromBlock' | 'toBlock' | 'maxRequests'> & { pool: RpcPool },
  wallet: EvmAddress,
  keyLogs: readonly KeyLogs[],
): Promise<DiscoveredTokens> {
  const named = topicOfAddress(wallet)
  const filters = filtersFor(named, keyLogs)
  const { logs, ...rest } = await findLogs({ ...search, pool: patientPool(search.pool), filters })
  const erc20s = logs.filter((log) => log.topics[2] === named && isTokenTransfer(log)).map(({ address }) => address)
  return { ...rest, erc20s: [...new Set(erc20s)], keys: logs.flatMap((log) => keysIn(log, named, keyLogs)) }
}

function filtersFor(named: EventLog['topics'][number], keyLogs: readonly KeyLogs[]): TopicFilter[] {
  const byPlace = Map.groupBy([RECEIVED, ...keyLogs], ({ walletAt }) => walletAt)
  return [...byPlace].map(([place, logs]) => {
    const [first, ...others] = new Set(logs.map(({ topic }) => topic))
    const event = first === undefined || others.length > 0 ? [...(first ? [first] : []), ...others] : first
    return [event, ...Array.from({ length: place - 1 }, () => null), named]
  })
}

/** An NFT's transfer has its id as a fourth topic and no amount. */
function isTokenTransfer({ topics, data }: EventLog): boolean {
  return topics[0] === TRANSFER && topics.length === 3 && /[1-9a-f]/.test(data.slice(2))
}

function keysIn(
  log: EventLog,
  named: EventLog['topics'][number],
  keyLogs: readonly KeyLogs[],
): DiscoveredTokens['keys'] {
  return keyLogs.flatMap(({ contract, topic, walletAt, keyAt }) => {
    const key = log.topics[keyAt]
    if (key === undefined || log.address !== contract || log.topics[0] !== topic) return []
    return log.topics[walletAt] === named ? [{ contract, key: BigInt(key), block: log.blockNumber }] : []
  })
}
