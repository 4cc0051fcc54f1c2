import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { NativeTransfer } from '../../../domain/transaction.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKept } from '../../../lib/kept.ts'
import { secret } from '../../../lib/secret.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { isRecord } from '../../rpc/json-rpc.ts'
import type { ExplorerSettings } from '../../settings.ts'
import { type Hex, listOf, parseAddress, parseHash, recordOf } from '../rpc-values.ts'
import { createExplorerApi, type ExplorerApi } from './explorer-api.ts'
import type { NativeHit, NativeSource } from './native-source.ts'

/** Etherscan allows free keys three requests a second; Blockscout allows anyone ten. */
const ETHERSCAN_PAUSE_MS = 350
const BLOCKSCOUT_PAUSE_MS = 110

export function createExplorerSources(
  { etherscanUrl, etherscanKey, blockscoutUrls }: ExplorerSettings,
  chains: Iterable<Chain>,
  clock: Clock,
): ReadonlyMap<string, NativeSource> {
  const etherscan =
    etherscanKey && createExplorerApi({ url: etherscanUrl, key: etherscanKey, clock, pauseMs: ETHERSCAN_PAUSE_MS })
  const sources = new Map<string, NativeSource>()
  for (const { key, chainId } of chains) {
    const base = blockscoutUrls.get(key)
    if (base) {
      const url = secret(`${base.reveal().replace(/\/+$/, '')}/api`)
      const api = createExplorerApi({ url, clock, pauseMs: BLOCKSCOUT_PAUSE_MS })
      sources.set(key, createExplorerSource({ api, clock }))
    } else if (etherscan) sources.set(key, createExplorerSource({ api: etherscan, chainId, clock }))
  }
  return sources
}

type Options = { api: ExplorerApi; chainId?: string; clock: Clock }

const PAGE = 1_000
const MOST_PAGES = 10
/** An index lags behind its chain: newer blocks do not count as covered. */
const INDEXED_MS = 600_000
const REACH_VALID_MS = 60_000

type Row = Readonly<Record<string, unknown>>

/** A node provides the content of the listed transactions. */
export function createExplorerSource({ api, chainId, clock }: Options): NativeSource {
  const common = chainId === undefined ? {} : { chainid: chainId }
  const reach = createKept<bigint>({ clock, freshMs: REACH_VALID_MS })

  async function newestIndexed(): Promise<bigint> {
    const timestamp = String(Math.floor((clock.now() - INDEXED_MS) / 1000))
    const question = { module: 'block', action: 'getblocknobytime', timestamp, closest: 'before' }
    const result = await api.ask({ ...common, ...question })
    return parseInteger(isRecord(result) ? result['blockNumber'] : result)
  }

  const findHits: NativeSource['find'] = async ({ wallets, range }) => {
    const newest = await reach.get('newest', newestIndexed)
    if (newest < range.fromBlock) return { hits: [], covered: [] }
    const covered = newest < range.toBlock ? { ...range, toBlock: newest } : range
    const hits: NativeHit[] = []
    for (const wallet of wallets) {
      const list = (action: string) => allRows(api, { ...common, module: 'account', action, address: wallet }, covered)
      hits.push(...toHits(wallet, await list('txlist'), await list('txlistinternal')))
    }
    return { hits, covered: [covered] }
  }

  return {
    find: (search) => findHits(search).catch((error) => ({ hits: [], covered: [], failure: upstreamOnly(error) })),
  }
}

async function allRows(
  api: ExplorerApi,
  question: Readonly<Record<string, string>>,
  { fromBlock, toBlock }: BlockRange,
): Promise<Row[]> {
  const rows = new Map<string, Row>()
  let start = fromBlock
  for (let page = 1; ; page += 1) {
    const blocks = { startblock: String(start), endblock: String(toBlock) }
    const result = await api.ask({ ...question, ...blocks, page: String(page), offset: String(PAGE), sort: 'asc' })
    const found = parseRows(result, { fromBlock: start, toBlock })
    for (const row of found) rows.set(JSON.stringify(row), row)
    if (found.length < PAGE) return [...rows.values()]
    if (page < MOST_PAGES) continue
    const last = blockOf(found.at(-1) ?? {})
    if (last === start) throw new UpstreamError('invalid', 'the explorer lists too much of one block')
    start = last
    page = 0
  }
}

function parseRows(result: unknown, { fromBlock, toBlock }: BlockRange): Row[] {
  const rows = listOf(result, 'a list').map((row) => recordOf(row, 'a list'))
  if (rows.some((row) => blockOf(row) < fromBlock || blockOf(row) > toBlock))
    throw new UpstreamError('invalid', 'the explorer listed entries that were not requested')
  return rows
}

const blockOf = (row: Row) => parseInteger(row['blockNumber'])

function toHits(wallet: EvmAddress, transactions: readonly Row[], internals: readonly Row[]): NativeHit[] {
  const hits = new Map<Hex, NativeHit & { inner: NativeTransfer[] }>()
  for (const row of transactions) {
    const isOwn = parseAddress(row['from']) === wallet
    if (!isOwn && (row['isError'] === '1' || parseInteger(row['value']) === 0n)) continue
    const hash = parseHash(row['hash'])
    const blockHash = parseHash(row['blockHash'])
    hits.set(hash, { hash, block: blockOf(row), blockHash, time: null, wallet, inner: [] })
  }
  for (const row of internals) {
    const moved = movedBy(row)
    if (!moved || (moved.from !== wallet && moved.to !== wallet)) continue
    const hash = parseHash(row['hash'] ?? row['transactionHash'])
    const hit = hits.get(hash) ?? { hash, block: blockOf(row), blockHash: null, time: null, wallet, inner: [] }
    hit.inner.push(moved)
    hits.set(hash, hit)
  }
  return [...hits.values()]
}

/** A `reward` belongs to no transaction. */
const MOVING: ReadonlySet<unknown> = new Set(['call', 'create', 'create2', 'suicide', 'selfdestruct'])

function movedBy(row: Row): NativeTransfer | null {
  const isCall = row['callType'] === undefined || row['callType'] === '' || row['callType'] === 'call'
  const amountRaw = parseInteger(row['value'])
  if (row['isError'] === '1' || !isCall || !MOVING.has(row['type']) || amountRaw === 0n) return null
  const to = row['to'] === '' || row['to'] === null ? row['contractAddress'] : row['to']
  return { from: parseAddress(row['from']), to: parseAddress(to), amountRaw }
}

function parseInteger(value: unknown): bigint {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) throw new UpstreamError('invalid', 'expected an integer')
  return BigInt(value)
}
