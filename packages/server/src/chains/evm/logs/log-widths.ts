import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { fewerBlocks } from './log-limits.ts'

/** Fewer logs: the next request may ask for more blocks. */
const SPARSE = 500
/** Validity of a limit named by the node, and of one found by trying. */
const NAMED_MS = 6 * 3_600_000
const FOUND_MS = 3_600_000

type Learner = Pick<RpcEndpoint, 'capabilities' | 'clock'>

export type MetWidths = {
  sparse: boolean
  /** Smallest width refused because of its logs. */
  refused: bigint | undefined
}

/** Undefined if nothing is known: request all blocks. */
export function nextWidth(endpoint: Learner, { sparse, refused }: MetWidths): bigint | undefined {
  const taken = takenWidth(endpoint)
  return taken !== undefined && sparse ? wider(taken, least(limitOf(endpoint), refused)) : taken
}

function takenWidth({ capabilities: { logRange } }: Learner): bigint | undefined {
  return logRange === null ? undefined : BigInt(logRange)
}

function limitOf({ capabilities: { logLimit }, clock }: Learner): bigint | undefined {
  return logLimit && clock.now() < logLimit.until ? BigInt(logLimit.blocks) : undefined
}

/** Near a refused width, takes the middle if that adds more than a quarter. */
function wider(width: bigint, bound: bigint | undefined): bigint {
  if (bound === undefined || width * 2n < bound) return width * 2n
  const middle = (width + bound) / 2n
  return middle - width > width / 4n ? middle : width
}

function least(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
}

export function isTrial(endpoint: Learner, width: bigint): boolean {
  return limitOf(endpoint) !== undefined && width > (takenWidth(endpoint) ?? 0n)
}

export function learnTaken(
  { capabilities }: Learner,
  met: MetWidths,
  width: bigint,
  answers: readonly (readonly unknown[])[],
): void {
  capabilities.logRange = String(width)
  met.sparse = answers.every(({ length }) => length < SPARSE)
}

/** After a refusal without a named limit, returns to the last accepted width. */
export function learnRefused(endpoint: Learner, met: MetWidths, error: unknown, asked: bigint): bigint | undefined {
  const fewer = error instanceof UpstreamError ? fewerBlocks(error, asked) : undefined
  if (!fewer) return undefined
  const { blocks, limit, isNamed } = fewer
  met.sparse = false
  if (limit === undefined) {
    met.refused = least(met.refused, asked)
    return blocks
  }
  const known = limitOf(endpoint)
  const until = endpoint.clock.now() + (isNamed ? NAMED_MS : FOUND_MS)
  if (known === undefined || limit < known) endpoint.capabilities.logLimit = { blocks: String(limit), until }
  const taken = takenWidth(endpoint)
  return !isNamed && taken !== undefined && taken < asked ? taken : blocks
}
