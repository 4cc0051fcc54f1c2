import type { Clock } from '../lib/clock.ts'
import { createKept } from '../lib/kept.ts'
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
  const checked = createKept<number>({ clock, freshMs: BELIEVED_MS })
  return {
    /**
     * The slots by which the node was behind when it was last asked. Rejects with `UpstreamError` while it is syncing
     * and far behind the head.
     */
    check: (node: BeaconNode): Promise<number> => checked.get(node.label, () => ask(node)),
  }
}

async function ask(node: BeaconNode): Promise<number> {
  const { isSyncing, behindSlots } = await node.request(syncingRequest)
  if (!isSyncing || behindSlots <= MOST_BEHIND_SLOTS) return behindSlots
  throw new UpstreamError('unavailable', `${node.label} is ${behindSlots} slots behind`)
}
