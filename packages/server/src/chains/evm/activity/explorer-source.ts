import { setTimeout as wait } from 'node:timers/promises'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { NativeTransfer } from '../../../domain/transaction.ts'
import { createCircuitBreaker } from '../../../lib/circuit-breaker.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { httpRequest } from '../../../lib/http-client.ts'
import { createKept } from '../../../lib/kept.ts'
import { type Secret, secret } from '../../../lib/secret.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import { isRecord } from '../../rpc/json-rpc.ts'
import type { EvmContext } from '../collect/evm-context.ts'
import { type Hex, listOf, parseAddress, parseHash, recordOf } from '../rpc-values.ts'
import type { NativeHit, NativeSource } from './native-source.ts'

/** Etherscan allows free keys three requests a second; Blockscout allows anyone ten. */
const ETHERSCAN_PAUSE_MS = 350
const BLOCKSCOUT_PAUSE_MS = 110

export function explorersOf({ chains, settings, clock }: EvmContext): ReadonlyMap<string, NativeSource> {
  const { etherscanUrl, etherscanKey, blockscoutUrls } = settings.explorers
  const etherscan =
    etherscanKey && createExplorerApi({ url: etherscanUrl, key: etherscanKey, clock, pauseMs: ETHERSCAN_PAUSE_MS })
  const sources = new Map<string, NativeSource>()
  for (const { key, chainId } of chains.values()) {
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

/** `module` and `action` in the query; `status`, `message`, `result` in the answer. */
export type ExplorerApi = {
  /** Returns `result`, an empty list without entries. Any other unsuccessful answer is an `UpstreamError`. */
  ask(params: Readonly<Record<string, string>>): Promise<unknown>
}

/** `pauseMs`: between requests over all chains; tripled after a rate-limited one. */
type ApiOptions = { url: Secret; key?: Secret; clock: Clock; pauseMs: number }

const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 64_000_000
const MOST_TRIES = 4
/** After a refusal by key or plan. */
const NOT_ALLOWED_MS = 3_600_000

const NONE = /^no .*found/i
const TOO_FAST = /rate limit|too many|max calls/i
const NOT_ALLOWED = /api ?key|chainid|not supported|upgrade|plan|deprecated/i

export function createExplorerApi({ url, key, clock, pauseMs }: ApiOptions): ExplorerApi {
  const gate = createGate(1)
  const breaker = createCircuitBreaker(clock)
  let last = Number.NEGATIVE_INFINITY

  async function attempt(params: Readonly<Record<string, string>>): Promise<unknown> {
    await wait(Math.max(0, pauseMs - (performance.now() - last)))
    last = performance.now()
    const query = new URLSearchParams({ ...params, ...(key && { apikey: key.reveal() }) })
    const asked = `${url.reveal()}?${query}`
    const response = await httpRequest({ url: asked, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES })
    if (response.status === 429) throw new UpstreamError('rate-limited', 'the explorer asks for fewer requests')
    return resultOf(response.body, response.status)
  }

  async function patiently(params: Readonly<Record<string, string>>): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(params)
      } catch (error) {
        const isTooFast = error instanceof UpstreamError && error.reason === 'rate-limited'
        if (!isTooFast || tries === MOST_TRIES) throw error
        await wait(pauseMs * 3 * tries)
      }
    }
  }

  return {
    ask: (params) =>
      gate(async () => {
        if (!breaker.admits()) throw new UpstreamError('unavailable', 'the explorer failed a moment ago')
        const departure = breaker.begin()
        try {
          const result = await patiently(params)
          breaker.succeed()
          return result
        } catch (error) {
          breaker.fail(departure)
          if (error instanceof UpstreamError && error.reason === 'not-allowed') breaker.rest(NOT_ALLOWED_MS)
          throw error
        }
      }),
  }
}

function resultOf(body: string, httpStatus: number): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw new UpstreamError(httpStatus === 200 ? 'invalid' : 'unavailable', `HTTP ${httpStatus} without JSON`)
  }
  const { status, message, result } = recordOf(answer, 'an answer of an explorer')
  if (status === '1') return result
  const words = [message, result].filter((part) => typeof part === 'string').join(' ')
  if (status === '0' && typeof message === 'string' && NONE.test(message)) return []
  if (TOO_FAST.test(words)) throw new UpstreamError('rate-limited', 'the explorer asks for fewer requests')
  if (NOT_ALLOWED.test(words)) throw new UpstreamError('not-allowed', 'the explorer does not allow the request')
  // Blockscout's status 2: these transactions are not all processed yet.
  throw new UpstreamError('unavailable', 'the explorer has no answer')
}
