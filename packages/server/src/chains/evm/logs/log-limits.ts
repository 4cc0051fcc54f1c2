import { AnswerTooLong } from '../../../lib/http-client.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { HttpRefusal, isPruned, lacksBlock, RpcRefusal } from '../../rpc/json-rpc.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'

/** For refusals that name no limit. */
const STEPS = [1_000_000n, 100_000n, 10_000n, 5_000n, 2_000n, 1_000n, 500n, 100n, 50n, 10n, 1n]

/** "Try with this block range [0x1, 0x2]". */
const SUGGESTED_RANGE = /\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i
/** Numbers in the text then count results, bytes or seconds. */
const ABOUT_RESULTS = /results|response size|body|too many logs|log.*(size|exceed)|timed? ?out|timeout|busy/i
/** "up to a 2K block range", "limited to a 10,000 range", "range is too large, max 1024", "maximum is set to 2048". */
const NAMED_WIDTH =
  /(?:max(?:imum)?|limit(?:ed)?|up to|over|exceeds?|than)\D{0,40}?(?:0\s*-\s*)?(\d[\d,_]*)\s*(k)?(?!\d)|(\d[\d,_]*)\s*(k)?\s*-?\s*blocks?/i

/** "exceed max addresses or topics per search position". */
const ABOUT_TOPICS = /\btopics?\b/i

/** `limit`: smallest width refused regardless of its logs; absent if a passing condition was the reason. */
type Fewer = { blocks: bigint; limit?: bigint; isNamed?: boolean }

/** Undefined if fewer blocks do not help. Wordings vary: unknown refusals ask for fewer blocks. */
export function fewerBlocks(error: UpstreamError, width: bigint): Fewer | undefined {
  if (width <= 1n) return undefined
  if (error instanceof AnswerTooLong) return { blocks: width / 2n }
  if (isPage(error)) return { blocks: 1n }
  if (error.reason === 'timeout') return { blocks: width > 8n ? width / 8n : 1n }
  const mayHelp = error instanceof RpcRefusal && error.kind !== 'rate-limited' && !lacksBlock(error)
  return mayHelp ? fewerThanRefused(error, width) : undefined
}

function fewerThanRefused(error: RpcRefusal, width: bigint): Fewer {
  const named = namedWidth(error)
  if (named !== undefined && named > 0n && named < width) return { blocks: named, limit: named + 1n, isNamed: true }
  const range = error.says(SUGGESTED_RANGE)
  const suggested = range?.[1] && range[2] ? BigInt(range[2]) - BigInt(range[1]) + 1n : undefined
  if (suggested !== undefined && suggested > 0n && suggested < width) return { blocks: suggested }
  if (error.says(ABOUT_RESULTS)) return { blocks: width / 2n }
  const blocks = STEPS.find((step) => step < width) ?? 1n
  return { blocks, limit: width }
}

/** Undefined if fewer values do not help. Above one block, only a refusal that names topics is about values. */
export function fewerValues(error: unknown, values: number, width: bigint): number | undefined {
  if (values <= 1) return undefined
  const isRefused = error instanceof RpcRefusal && error.kind !== 'rate-limited' && !lacksBlock(error)
  const namesTopics = isRefused && error.says(ABOUT_TOPICS) !== null
  const isOneBlock = width <= 1n && (isRefused || isPage(error) || error instanceof AnswerTooLong)
  return namesTopics || isOneBlock ? Math.ceil(values / 2) : undefined
}

/** After a refused single block the endpoint serves no logs, unless its logs are the reason. */
export function refusesLogs(error: unknown): error is UpstreamError {
  if (isPage(error)) return true
  if (!(error instanceof RpcRefusal) || lacksBlock(error)) return false
  return error.kind !== 'rate-limited' && error.kind !== 'behind' && !error.says(ABOUT_RESULTS)
}

/** Gateways refuse a method with a page under these statuses, while the node works. */
const PAGE_STATUSES: ReadonlySet<number> = new Set([200, 400, 401, 403, 404, 405, 501])

function isPage(error: unknown): boolean {
  return error instanceof HttpRefusal && PAGE_STATUSES.has(error.status)
}

function namedWidth(error: RpcRefusal): bigint | undefined {
  if (error.says(SUGGESTED_RANGE) || error.says(ABOUT_RESULTS)) return undefined
  const named = error.says(NAMED_WIDTH)
  const digits = named?.[1] ?? named?.[3]
  if (digits === undefined) return undefined
  return BigInt(digits.replaceAll(/[,_]/g, '')) * (named?.[2] || named?.[4] ? 1_000n : 1n)
}

const SPARSE = 500
/** Validity of a limit named by the node, and of one found by trying. */
const NAMED_MS = 6 * 3_600_000
const FOUND_MS = 3_600_000

export type EncounteredWidths = {
  sparse: boolean
  /** Smallest width refused because of its logs. */
  refused: bigint | undefined
}

export function nextWidth(endpoint: RpcEndpoint, { sparse, refused }: EncounteredWidths): bigint | undefined {
  const taken = takenWidth(endpoint)
  return taken !== undefined && sparse ? wider(taken, least(limitOf(endpoint), refused)) : taken
}

function takenWidth({ capabilities: { logRange } }: RpcEndpoint): bigint | undefined {
  return logRange === null ? undefined : BigInt(logRange)
}

function limitOf({ capabilities: { logLimit }, clock }: RpcEndpoint): bigint | undefined {
  return logLimit && clock.now() < logLimit.until ? BigInt(logLimit.blocks) : undefined
}

function wider(width: bigint, bound: bigint | undefined): bigint {
  if (bound === undefined || width * 2n < bound) return width * 2n
  const middle = (width + bound) / 2n
  return middle - width > width / 4n ? middle : width
}

function least(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
}

export function isTrial(endpoint: RpcEndpoint, width: bigint): boolean {
  return limitOf(endpoint) !== undefined && width > (takenWidth(endpoint) ?? 0n)
}

export function learnTaken(
  { capabilities }: RpcEndpoint,
  encountered: EncounteredWidths,
  width: bigint,
  answers: readonly (readonly unknown[])[],
): void {
  capabilities.logRange = String(width)
  encountered.sparse = answers.every(({ length }) => length < SPARSE)
}

/** After a refusal without a named limit, returns to the last accepted width. */
export function learnRefused(
  endpoint: RpcEndpoint,
  encountered: EncounteredWidths,
  error: unknown,
  asked: bigint,
): bigint | undefined {
  const fewer = error instanceof UpstreamError ? fewerBlocks(error, asked) : undefined
  if (!fewer) return undefined
  const { blocks, limit, isNamed } = fewer
  encountered.sparse = false
  if (limit === undefined) {
    encountered.refused = least(encountered.refused, asked)
    return blocks
  }
  const known = limitOf(endpoint)
  const until = endpoint.clock.now() + (isNamed ? NAMED_MS : FOUND_MS)
  if (known === undefined || limit < known) endpoint.capabilities.logLimit = { blocks: String(limit), until }
  const taken = takenWidth(endpoint)
  return !isNamed && taken !== undefined && taken < asked ? taken : blocks
}

/** Later, another node may answer for the endpoint. */
const PRUNED_MS = 6 * 3_600_000

export class HistoryPruned extends UpstreamError {
  readonly firstBlock: bigint

  constructor(label: string, firstBlock: bigint) {
    super('not-allowed', `${label} eth_getLogs: history before block ${firstBlock} is pruned`)
    this.firstBlock = firstBlock
  }
}

/** 0 unless an older block was refused lately. */
export function firstServedBlock({ capabilities: { logsFrom }, clock }: RpcEndpoint): bigint {
  return logsFrom && clock.now() < logsFrom.until ? BigInt(logsFrom.block) : 0n
}

/** Throws the node's error if even the newest block is refused. */
export async function findFirstServed(
  endpoint: RpcEndpoint,
  { refused, newest }: { refused: bigint; newest: bigint },
  asks: (block: bigint) => Promise<unknown>,
): Promise<bigint> {
  const isServed = async (block: bigint): Promise<boolean> => {
    try {
      await asks(block)
      return true
    } catch (error) {
      if (block < newest && isPruned(error)) return false
      throw error
    }
  }
  await isServed(newest)
  let [below, first] = [refused, newest]
  while (first - below > 1n) {
    const middle = (below + first) / 2n
    if (await isServed(middle)) first = middle
    else below = middle
  }
  endpoint.capabilities.logsFrom = { block: String(first), until: endpoint.clock.now() + PRUNED_MS }
  return first
}
