import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { NoHistory } from '../../../beacon/beacon-request.ts'
import { type BeaconBlock, beaconBlockRequest, headerRequest } from '../../../beacon/block-requests.ts'
import { createGate } from '../../../lib/concurrency.ts'

const AT_ONCE = 8

/**
 * Proves missed slots: the block after them must name the block before them as its parent. Slots after the last block
 * stay unproven. Rejects with `NoHistory` if a node has lost a block.
 */
export async function readBlocks(pool: BeaconPool, from: number, to: number): Promise<BeaconBlock[]> {
  return pool.run(async (node) => {
    const slots = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    const gate = createGate(AT_ONCE)
    const found = await Promise.all(slots.map((slot) => gate(() => node.request(beaconBlockRequest(slot)))))
    const blocks = found.filter((block) => block !== null)
    let expected = from
    for (const block of blocks) {
      if (block.slot !== expected) await proveMissed(node, expected, block)
      expected = block.slot + 1
    }
    return blocks
  })
}

async function proveMissed(
  node: Pick<BeaconPool, 'request'>,
  first: number,
  { slot, parentRoot }: BeaconBlock,
): Promise<void> {
  const parent = await node.request(headerRequest(parentRoot))
  if (!parent || parent.slot >= first) throw new NoHistory(`the blocks between slots ${first} and ${slot}`)
}
