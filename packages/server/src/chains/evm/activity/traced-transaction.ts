import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { NativeTransfer } from '../../../domain/transaction.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord } from '../../rpc/json-rpc.ts'
import { type Hex, parseAddress, parseHash, parseQuantity, recordOf } from '../rpc-values.ts'
import type { NativeHit } from './native-source.ts'
import type { Found } from './read-transactions.ts'

/** `own`: null if zero or failed. */
type Moves = { own: NativeTransfer | null; inner: NativeTransfer[] }

export type TracedTransaction = Moves & { hash: Hex; from: EvmAddress }

export function hitsOf(
  { from: sender, own, inner, ...found }: Found & Moves & { from: EvmAddress | undefined },
  wallets: readonly EvmAddress[],
): NativeHit[] {
  return wallets.flatMap((wallet) => {
    const touches = ({ from, to }: NativeTransfer) => from === wallet || to === wallet
    const moved = inner.filter(touches)
    const isHit = sender === wallet || moved.length > 0 || (own !== null && touches(own))
    return isHit ? [{ ...found, wallet, inner: moved }] : []
  })
}

/** Parity's format (`trace_*`). */
export type Trace = {
  hash: Hex
  block: bigint
  blockHash: Hex
  /** Empty for the transaction itself. */
  path: readonly number[]
  failed: boolean
  moved: NativeTransfer | null
  from: EvmAddress
}

export function parseTrace(value: unknown): Trace | null {
  if (!isRecord(value) || !isRecord(value['action'])) throw new UpstreamError('invalid', 'expected a trace')
  if (value['type'] === 'reward') return null
  const path = value['traceAddress']
  const isPath = Array.isArray(path) && path.every((step) => Number.isInteger(step))
  if (!isPath) throw new UpstreamError('invalid', 'expected the place of a trace')
  const failed = value['error'] !== undefined && value['error'] !== null
  const { action, blockNumber: block } = value
  return {
    hash: parseHash(value['transactionHash']),
    // Most tracers write a number, some a hex quantity.
    block: Number.isSafeInteger(block) ? BigInt(block as number) : parseQuantity(block),
    blockHash: parseHash(value['blockHash']),
    path,
    failed,
    moved: failed ? null : movedBy(value['type'], action, value['result']),
    from: parseAddress(action[value['type'] === 'suicide' ? 'address' : 'from']),
  }
}

function movedBy(type: unknown, action: Record<string, unknown>, result: unknown): NativeTransfer | null {
  switch (type) {
    case 'call':
      return action['callType'] === 'call' ? transfer(action['from'], action['to'], action['value']) : null
    case 'create':
      return transfer(action['from'], isRecord(result) ? result['address'] : undefined, action['value'])
    case 'suicide':
      return transfer(action['address'], action['refundAddress'], action['balance'])
    default:
      return null
  }
}

function transfer(from: unknown, to: unknown, value: unknown): NativeTransfer | null {
  const amountRaw = parseQuantity(value)
  return amountRaw > 0n ? { from: parseAddress(from), to: parseAddress(to), amountRaw } : null
}

/** Drops everything below a failed call. */
export function transactionOf(traces: readonly Trace[]): Moves {
  const byPath = [...new Map(traces.map((trace) => [trace.path.join('.'), trace])).values()].sort(inOrder)
  const failed = byPath.filter((trace) => trace.failed)
  const isKept = ({ path }: Trace) => !failed.some((above) => above.path.every((step, i) => path[i] === step))
  const kept = byPath.filter(isKept).flatMap(({ path, moved }) => (moved ? [{ isOwn: path.length === 0, moved }] : []))
  return {
    own: kept.find(({ isOwn }) => isOwn)?.moved ?? null,
    inner: kept.filter(({ isOwn }) => !isOwn).map(({ moved }) => moved),
  }
}

function inOrder(a: Trace, b: Trace): number {
  const at = a.path.findIndex((step, i) => step !== b.path[i])
  return at < 0 ? a.path.length - b.path.length : (a.path[at] ?? 0) - (b.path[at] ?? -1)
}

/** A `CALLCODE` moves coin from a contract to itself. */
const MOVING: ReadonlySet<unknown> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** Format of geth's `callTracer`. */
export function parseCallFrame(hash: Hex, value: unknown): TracedTransaction {
  const frame = recordOf(value, 'a call')
  const failed = frame['error'] !== undefined
  return {
    hash,
    from: parseAddress(frame['from']),
    own: failed ? null : movedInFrame(frame),
    inner: failed ? [] : callsOf(frame).flatMap(movedBelow),
  }
}

function movedBelow(value: unknown): NativeTransfer[] {
  const frame = recordOf(value, 'a call')
  if (frame['error'] !== undefined) return []
  const moved = movedInFrame(frame)
  return [...(moved ? [moved] : []), ...callsOf(frame).flatMap(movedBelow)]
}

function movedInFrame(frame: Record<string, unknown>): NativeTransfer | null {
  const hasValue = MOVING.has(frame['type']) && typeof frame['value'] === 'string'
  return hasValue ? transfer(frame['from'], frame['to'], frame['value']) : null
}

function callsOf(frame: Record<string, unknown>): unknown[] {
  return Array.isArray(frame['calls']) ? frame['calls'] : []
}
