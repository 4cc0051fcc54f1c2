import type { Clock } from '../lib/clock.ts'
import { createKept } from '../lib/kept.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import type { BeaconNode } from './beacon-node.ts'
import { syncingRequest } from './network-requests.ts'

const BELIEVED_MS = 30_000
const MOST_BEHIND_SLOTS = 32

export function createCheckFresh(clock: Clock) {
  const checked = createKept<number>({ clock, freshMs: BELIEVED_MS })
  return (node: BeaconNode) => checked.get(node.label, () => ask(node))
}

/** Returns the slots behind. */
async function ask(node: BeaconNode): Promise<number> {
  const { isSyncing, behindSlots } = await node.request(syncingRequest)
  if (!isSyncing || behindSlots <= MOST_BEHIND_SLOTS) return behindSlots
  throw new UpstreamError('unavailable', `${node.label} is ${behindSlots} slots behind`)
}
