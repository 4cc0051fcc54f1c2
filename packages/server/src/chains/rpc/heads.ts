import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Head, HeadBounds } from '../seen-block.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

export type HeadNews = {
  onStale?(ageSeconds: number): void
  onAhead?(endpoint: string, aheadSeconds: number): void
}

const LAG_SECONDS = 45
const HEAD_VALID_MS = 120_000

export function createHeads(clock: Clock, bounds: HeadBounds | undefined, { onStale, onAhead }: HeadNews = {}) {
  const seen = new Map<RpcEndpoint, Head & { at: number }>()
  const suspect = new Set<RpcEndpoint>()
  const ahead = new Set<RpcEndpoint>()
  let newest: { age: number; stale: boolean } | undefined

  /** Throws `UpstreamError` on a future head, or one far behind another endpoint's. */
  function check(endpoint: RpcEndpoint, head: Head): void {
    const age = clock.now() / 1000 - head.timestamp
    refuseFuture(endpoint, age)
    seen.set(endpoint, { ...head, at: clock.now() })
    if (isBehindOthers(endpoint, head)) {
      suspect.add(endpoint)
      throw new UpstreamError('unavailable', `${endpoint.label} is behind the other endpoints`)
    }
    noteAge(endpoint, age)
  }

  function refuseFuture(endpoint: RpcEndpoint, age: number): void {
    if (!bounds || -age <= bounds.mostAhead) {
      ahead.delete(endpoint)
      return
    }
    if (!ahead.has(endpoint)) onAhead?.(endpoint.label, Math.round(-age))
    ahead.add(endpoint)
    suspect.add(endpoint)
    seen.delete(endpoint)
    throw new UpstreamError('invalid', `${endpoint.label} shows a block of the future`)
  }

  function isBehindOthers(endpoint: RpcEndpoint, head: Head): boolean {
    return [...seen].some(
      ([other, known]) =>
        other !== endpoint &&
        clock.now() - known.at < HEAD_VALID_MS &&
        known.number > head.number &&
        known.timestamp - head.timestamp > LAG_SECONDS,
    )
  }

  /** A stale head is accepted: the chain itself may have stopped. */
  function noteAge(endpoint: RpcEndpoint, age: number): void {
    const stale = bounds !== undefined && age > bounds.mostBehind
    if (stale) suspect.add(endpoint)
    else suspect.delete(endpoint)
    if (stale && newest?.stale !== true) onStale?.(Math.round(age))
    newest = { age, stale }
  }

  return {
    check,
    isSuspect: (endpoint: RpcEndpoint) => suspect.has(endpoint),
    lastAge: () => newest?.age,
  }
}
