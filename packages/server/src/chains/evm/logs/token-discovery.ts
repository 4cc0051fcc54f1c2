import { type BlockRange, countBlocks, mergeRanges, withoutRanges } from '../../../domain/block-ranges.ts'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import { searchBack } from '../../../domain/search-back.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { StoredKey } from '../../stores.ts'
import type { Hex } from '../rpc-values.ts'
import {
  type EventLog,
  isKeyLogs,
  type KeyLogs,
  type SearchedLogs,
  type TopicFilter,
  TRANSFER,
  topicOfAddress,
  topicOfPrefix,
  UNITS_TRANSFER,
  walletsByTopic,
} from './logs.ts'
import { type FoundLogs, findLogs, type LogScan } from './scan-logs.ts'

/** Anyone can create and send a token. */
export type NamedInLogs = {
  erc20s: EvmAddress[]
  keys: (StoredKey & { block: bigint })[]
  contracts: EvmAddress[]
  namedAt: ReadonlyMap<EvmAddress, bigint>
}

export type DiscoveredTokens = Omit<FoundLogs, 'logs'> & { namedFor(wallet: EvmAddress): NamedInLogs }

type Named = { key?: NamedInLogs['keys'][number]; beside?: EvmAddress; block: bigint }

const RECEIVED: SearchedLogs = { contract: 'any', topic: TRANSFER, walletAt: 2 }
const ADDRESS_START = 26
const WORD_END = 66

/** Misses tokens that mint or wrap without a `Transfer`. Skips ERC-20 transfers of zero (spam). */
export async function discoverTokens(
  search: Omit<LogScan, 'filters' | 'addresses'>,
  wallets: readonly EvmAddress[],
  searched: readonly SearchedLogs[],
): Promise<DiscoveredTokens> {
  const filters = pagedFilters(wallets, searched)
  const { logs, ...rest } = await findLogs({ ...search, pool: patientPool(search.pool), filters })
  const logsOf = byWallet(logs, wallets, searched)
  return { ...rest, namedFor: (wallet) => namedBy(logsOf(wallet), wallet, searched) }
}

const havePrefixes = (searched: readonly SearchedLogs[]) => searched.some(({ walletAs }) => walletAs === 'prefix')

function pagedFilters(wallets: readonly EvmAddress[], searched: readonly SearchedLogs[]) {
  return ({ mostValues }: { mostValues: number }): TopicFilter[] => {
    const page = havePrefixes(searched) ? Math.ceil(mostValues / 2) : mostValues
    return pagesOf(wallets, page).flatMap((some) => filtersFor(some, searched))
  }
}

function byWallet(logs: readonly EventLog[], wallets: readonly EvmAddress[], searched: readonly SearchedLogs[]) {
  const byTopic = walletsByTopic(wallets, { prefixes: havePrefixes(searched) })
  const namedBy = ({ topics }: EventLog) => new Set(topics.slice(1).flatMap((topic) => byTopic.get(topic) ?? []))
  const named = logs.flatMap((log) => [...namedBy(log)].map((wallet) => ({ wallet, log })))
  const all = Map.groupBy(named, ({ wallet }) => wallet)
  return (wallet: EvmAddress) => all.get(wallet)?.map(({ log }) => log) ?? []
}

function namedBy(logs: readonly EventLog[], wallet: EvmAddress, searched: readonly SearchedLogs[]): NamedInLogs {
  const topic = topicOfAddress(wallet)
  const sent = logs.filter((log) => log.topics[2] === topic && isTokenTransfer(log))
  const found = logs.flatMap((log) => namedIn(log, wallet, searched))
  const beside = found.flatMap(({ beside, block }) => (beside ? [[beside, block] as const] : []))
  return {
    erc20s: [...new Set(sent.map(({ address }) => address))],
    keys: found.flatMap(({ key }) => key ?? []),
    contracts: [...new Set(beside.map(([contract]) => contract))],
    namedAt: newestOf([...sent.map(({ address, blockNumber }) => [address, blockNumber] as const), ...beside]),
  }
}

function newestOf(named: Iterable<readonly [EvmAddress, bigint]>): Map<EvmAddress, bigint> {
  const newest = new Map<EvmAddress, bigint>()
  for (const [contract, block] of named) {
    if ((newest.get(contract) ?? -1n) < block) newest.set(contract, block)
  }
  return newest
}

const topicFor = ({ walletAs }: SearchedLogs, wallet: EvmAddress): Hex =>
  walletAs === 'prefix' ? topicOfPrefix(wallet) : topicOfAddress(wallet)

function filtersFor(wallets: readonly EvmAddress[], searched: readonly SearchedLogs[]): TopicFilter[] {
  const byPlace = Map.groupBy([RECEIVED, ...searched], ({ walletAt }) => walletAt)
  return [...byPlace].map(([place, logs]) => {
    const event = oneOrAll(logs.map(({ topic }) => topic))
    const named = oneOrAll(logs.flatMap((log) => wallets.map((wallet) => topicFor(log, wallet))))
    return [event, ...Array.from({ length: place - 1 }, () => null), named]
  })
}

function oneOrAll(topics: readonly Hex[]): TopicFilter[number] {
  const [first = null, ...others] = new Set(topics)
  return first === null || others.length === 0 ? first : [first, ...others]
}

/** NFT transfers have a fourth topic. */
function isTokenTransfer({ topics, data }: EventLog): boolean {
  const isTransfer = topics[0] === TRANSFER || topics[0] === UNITS_TRANSFER
  return isTransfer && topics.length === 3 && /[1-9a-f]/.test(data.slice(2))
}

function namedIn(log: EventLog, wallet: EvmAddress, searched: readonly SearchedLogs[]): Named[] {
  const fitting = searched.filter(
    (asked) => log.topics[0] === asked.topic && log.topics[asked.walletAt] === topicFor(asked, wallet),
  )
  const block = log.blockNumber
  return fitting.flatMap((asked) => (isKeyLogs(asked) ? keysIn(log, asked) : { beside: log.address, block }))
}

function keysIn(log: EventLog, { contract, keyAt, contractAt, differing }: KeyLogs): Named[] {
  const isDiffering = differing === undefined || log.topics[differing[0]] !== log.topics[differing[1]]
  const key = keyAt === 'data' ? firstWord(log) : log.topics[keyAt]
  if (key === undefined || log.address !== contract || !isDiffering) return []
  const beside = contractAt === undefined ? undefined : log.topics[contractAt]
  return [
    {
      key: { contract, key: BigInt(key), block: log.blockNumber },
      block: log.blockNumber,
      ...(beside !== undefined && { beside: evmAddress(`0x${beside.slice(ADDRESS_START)}`) }),
    },
  ]
}

const firstWord = ({ data }: EventLog) => (data.length < WORD_END ? undefined : data.slice(0, WORD_END))

const REQUESTS_PER_ADVANCE = 20
/** Recent blocks come first even if an endpoint takes any range. */
const PIECE_BLOCKS = 5_000_000n

/** No search takes more than twice as long as alone. `ranges`: missing in any of them, newest first. */
export function groupByMissing<S extends { missing: readonly BlockRange[] }>(
  searches: readonly S[],
): { ranges: readonly BlockRange[]; searches: S[] }[] {
  const groups: { ranges: readonly BlockRange[]; searches: S[]; most: bigint }[] = []
  const sized = searches.map((search) => ({ search, blocks: countBlocks(search.missing) }))
  for (const { search, blocks } of sized.toSorted((a, b) => (a.blocks < b.blocks ? -1 : 1))) {
    const joined = ({ ranges }: { ranges: readonly BlockRange[] }) => mergeRanges([...ranges, ...search.missing])
    const group = groups.find((one) => countBlocks(joined(one)) <= one.most)
    if (group) {
      group.ranges = joined(group).reverse()
      group.searches.push(search)
    } else {
      groups.push({ ranges: search.missing, searches: [search], most: 2n * blocks })
    }
  }
  return groups
}

export async function searchPieces(
  pool: RpcPool,
  wallets: readonly EvmAddress[],
  logs: readonly SearchedLogs[],
  ranges: readonly BlockRange[],
): Promise<Omit<DiscoveredTokens, 'missing'>> {
  const found: DiscoveredTokens[] = []
  const covered: BlockRange[] = []
  // One request per topic place of wallets.
  const perPiece = filtersFor(['0x'], logs).length
  const most = Math.ceil(REQUESTS_PER_ADVANCE / perPiece)
  let maxRequests = REQUESTS_PER_ADVANCE
  const sizes = { first: PIECE_BLOCKS, largest: PIECE_BLOCKS, most }
  for await (const { piece } of searchBack(() => withoutRanges(ranges, covered), sizes)) {
    const part = await discoverTokens({ pool, ...piece, maxRequests }, wallets, logs)
    found.push(part)
    covered.push(...part.covered)
    if (part.missing.length > 0) break
    maxRequests -= perPiece
  }
  const failure = found.at(-1)?.failure
  return {
    namedFor: (wallet) => joinNamed(found.map(({ namedFor }) => namedFor(wallet))),
    covered: mergeRanges(covered),
    steps: found.reduce((sum, { steps }) => sum + steps, 0),
    ...(failure && { failure }),
  }
}

function joinNamed(parts: readonly NamedInLogs[]): NamedInLogs {
  return {
    erc20s: [...new Set(parts.flatMap(({ erc20s }) => erc20s))],
    keys: parts.flatMap(({ keys }) => keys),
    contracts: [...new Set(parts.flatMap(({ contracts }) => contracts))],
    namedAt: newestOf(parts.flatMap(({ namedAt }) => [...namedAt])),
  }
}
