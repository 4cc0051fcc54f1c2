import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, RpcRefusal, type RpcRequest } from '../../rpc/json-rpc.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import { type Attempt, runTogether } from '../../rpc/request-together.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcSession } from '../../rpc/rpc-pool.ts'
import { highest, invalidAnswer, parseAtSlot, parseU64 } from '../rpc-values.ts'

export const FINAL = { commitment: 'finalized' } as const

/** `time`: Unix seconds. */
export type ListedSignature = { signature: string; slot: bigint; time: number | null }

/** Nodes' limit. */
const SIGNATURES_A_PAGE = 1000

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/** Newest first. Refused by a node before slot `least`. */
function signaturesRequest(
  address: SolanaAddress,
  { before, least, timeoutMs }: { before: ListedSignature | undefined; least: bigint; timeoutMs: number },
): RpcRequest<ListedSignature[]> {
  const page = { limit: SIGNATURES_A_PAGE, ...(before && { before: before.signature }) }
  return {
    method: 'getSignaturesForAddress',
    params: [address, { ...page, ...FINAL, minContextSlot: Number(least) }],
    timeoutMs,
    parse: (result) => parsePage(result, before),
  }
}

/** Before an unknown transaction a node lists nothing, as if it were the oldest. */
function knownRequest(signatures: readonly string[], timeoutMs: number): RpcRequest<boolean[]> {
  return {
    method: 'getSignatureStatuses',
    params: [signatures, { searchTransactionHistory: true }],
    timeoutMs,
    parse: (result) =>
      parseAtSlot(result, (value) => {
        if (!Array.isArray(value) || value.length !== signatures.length) throw invalidAnswer('expected as many states')
        return value.map((status) => status !== null)
      }).value,
  }
}

export const finalSlotRequest: RpcRequest<bigint> = { method: 'getSlot', params: [FINAL], parse: parseU64 }
export const firstSlotRequest: RpcRequest<bigint> = { method: 'getFirstAvailableBlock', params: [], parse: parseU64 }

function parsePage(result: unknown, before: ListedSignature | undefined): ListedSignature[] {
  if (!Array.isArray(result) || result.length > SIGNATURES_A_PAGE) throw invalidAnswer('expected a page of signatures')
  let last = before?.slot
  return result.map((item: unknown) => {
    if (!isRecord(item)) throw invalidAnswer('expected a signature')
    const { signature, blockTime } = item
    const slot = parseU64(item['slot'])
    if (typeof signature !== 'string' || !SIGNATURE.test(signature)) throw invalidAnswer('expected a signature')
    if (last !== undefined && slot > last) throw invalidAnswer('signatures that are not in order')
    last = slot
    return { signature, slot, time: typeof blockTime === 'number' ? blockTime : null }
  })
}

type AddressList = {
  readonly address: SolanaAddress
  listed: ListedSignature[]
  /** The next page continues before it. */
  last: ListedSignature | undefined
  floor: bigint
  ended: boolean
}

type Page = { list: AddressList; items: ListedSignature[]; floor: bigint; ended: boolean }

/** Pages of the wallet's and its token accounts' signatures within `range`, newest first. */
export type SignatureLists = {
  readonly session: RpcSession
  readonly range: BlockRange
  readonly lists: AddressList[]
  readonly firstSlots: WeakMap<RpcEndpoint, Promise<bigint>>
  /** No endpoint keeps the whole range. */
  allLack: boolean
}

const LISTS_AT_ONCE = 200
const STATES_AT_ONCE = 256

export function addAddress({ lists, range }: SignatureLists, address: SolanaAddress): void {
  lists.push({ address, listed: [], last: undefined, floor: range.toBlock + 1n, ended: false })
}

/** All is listed from the returned slot to `top`. `top + 1`: no endpoint keeps older transactions. */
export async function listTo(of: SignatureLists, top: bigint): Promise<bigint> {
  for (;;) {
    const short = of.lists.filter(({ ended, floor }) => !ended && floor > top)
    if (short.length === 0) break
    for (const page of await extend(of, short.slice(0, LISTS_AT_ONCE))) take(page, of.range)
  }
  const floor = highest([of.range.fromBlock, ...of.lists.map((list) => list.floor)])
  return floor > top ? top + 1n : floor
}

export function listedFrom({ lists }: SignatureLists, slot: bigint): ListedSignature[] {
  const listed = lists.flatMap((list) => list.listed.filter((item) => item.slot >= slot))
  const found = new Map(listed.map((item) => [item.signature, item]))
  return [...found.values()].sort((a, b) => Number(b.slot - a.slot))
}

export function dropFrom({ lists }: SignatureLists, slot: bigint): void {
  for (const list of lists) list.listed = list.listed.filter((item) => item.slot < slot)
}

/** From an endpoint with the whole range, else the furthest answer. */
async function extend(of: SignatureLists, asked: readonly AddressList[]): Promise<Page[]> {
  let cut: Page[] | undefined
  const read = runTogether(of.session.run, async (attempt) => {
    const pages = await readPages(of, attempt, asked)
    if (of.allLack || !pages.some(({ ended, floor }) => ended && floor > of.range.fromBlock)) return pages
    if (!cut || floorOf(pages) < floorOf(cut)) cut = pages
    throw new UpstreamError('unavailable', 'the node does not keep transactions that old')
  })
  return read.catch((error: unknown) => {
    if (!cut || !(error instanceof UpstreamError)) throw error
    of.allLack = true
    return cut
  })
}

async function readPages(of: SignatureLists, attempt: Attempt, asked: readonly AddressList[]): Promise<Page[]> {
  const { endpoint } = attempt
  const terms = { least: of.range.toBlock, timeoutMs: endpoint.limits.logTimeoutMs }
  const requests = asked.map(({ address, last }) => signaturesRequest(address, { ...terms, before: last }))
  const answers = await readLists(attempt, requests)
  await checkKnown(
    endpoint,
    asked.flatMap(({ last }, i) => (last && answers[i]?.length === 0 ? [last.signature] : [])),
  )
  const first = answers.some(isLastPage) ? await firstSlotOf(of, attempt) : 0n
  return asked.map((list, i) => pageOf(list, answers[i] ?? [], { ...of.range, first }))
}

function firstSlotOf({ firstSlots }: SignatureLists, { endpoint, request }: Attempt): Promise<bigint> {
  const first = firstSlots.get(endpoint) ?? request(firstSlotRequest).catch(zeroIfUnsupported)
  firstSlots.set(endpoint, first)
  first.catch(() => firstSlots.delete(endpoint))
  return first
}

async function readLists(
  { endpoint, request }: Attempt,
  requests: readonly RpcRequest<ListedSignature[]>[],
): Promise<ListedSignature[][]> {
  const [only, ...others] = requests
  if (only && others.length === 0) return [await endpoint.background(() => request(only))]
  return (await requestEach(endpoint, requests, endpoint.background)).map(valueOrThrow)
}

/** Nodes list fewer only at the end. */
const isLastPage = (items: readonly ListedSignature[]) => items.length < SIGNATURES_A_PAGE

function pageOf(list: AddressList, items: ListedSignature[], range: BlockRange & { first: bigint }): Page {
  const oldest = items.at(-1)
  const whole = { list, items, floor: range.fromBlock, ended: true }
  if (oldest && oldest.slot < range.fromBlock) return whole
  if (isLastPage(items)) return { ...whole, floor: highest([range.first, range.fromBlock]) }
  // The last slot may have more than fit on the page.
  return { list, items, floor: (oldest?.slot ?? 0n) + 1n, ended: false }
}

function take({ list, items, floor, ended }: Page, { fromBlock, toBlock }: BlockRange): void {
  list.listed.push(...items.filter(({ slot }) => slot >= fromBlock && slot <= toBlock))
  list.last = items.at(-1) ?? list.last
  list.floor = floor
  list.ended = ended
}

const floorOf = (pages: readonly Page[]) => highest(pages.map(({ floor }) => floor))

/** An empty page proves the end only if the node knows the transaction before it. */
async function checkKnown(endpoint: RpcEndpoint, signatures: readonly string[]): Promise<void> {
  const { logTimeoutMs } = endpoint.limits
  for (const page of pagesOf(signatures, STATES_AT_ONCE)) {
    const known = await endpoint.request(knownRequest(page, logTimeoutMs))
    if (known.includes(false)) throw new UpstreamError('unavailable', 'the node does not know what it listed before')
  }
}

/** An unreported slot counts as keeping everything: missing parts show in the balances. */
function zeroIfUnsupported(error: unknown): bigint {
  if (error instanceof RpcRefusal && error.kind === 'unsupported') return 0n
  throw error
}
