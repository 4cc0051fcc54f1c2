import type { Clock } from '../lib/clock.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import type { BeaconNode } from './beacon-node.ts'
import { syncingRequest } from './network-requests.ts'

/** How long a check that a node keeps up stays valid, in ms. */
const BELIEVED_MS = 30_000
/** Slots by which a node may be behind: the state is then a few minutes old. */
const MOST_BEHIND_SLOTS = 32

/**
 * Rejects nodes that report to be far behind the chain. Each is asked now and then, in parallel with its other work.
 */
export function createFreshNodes(clock: Clock) {
  const seen = new WeakMap<BeaconNode, { until: number; check: Promise<void> }>()
  return {
    /** Rejects with `UpstreamError` while the node is syncing and far behind the head. */
    check(node: BeaconNode): Promise<void> {
      const known = seen.get(node)
      if (known && clock.now() < known.until) return known.check
      const check = ask(node)
      seen.set(node, { until: clock.now() + BELIEVED_MS, check })
      check.catch(() => seen.delete(node))
      return check
    },
  }
}

async function ask(node: BeaconNode): Promise<void> {
  const { isSyncing, behindSlots } = await node.request(syncingRequest)
  if (!isSyncing || behindSlots <= MOST_BEHIND_SLOTS) return
  throw new UpstreamError('unavailable', `${node.label} is ${behindSlots} slots behind`)
}
