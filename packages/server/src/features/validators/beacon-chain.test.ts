import { expect, test } from 'vitest'
import { finalityRequest } from '../../beacon/network-requests.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createBeaconChain } from './beacon-chain.ts'

const SLOT_MS = 12_000

/** Counted epochs with a node that reports `finalized`, or fails with it. */
function countedBy() {
  const node = { finalized: 10 as number | Error, asked: 0, now: 1_000 }
  async function request(wanted: unknown): Promise<object> {
    if (wanted !== finalityRequest) return {}
    node.asked += 1
    if (typeof node.finalized !== 'number') throw node.finalized
    return { epoch: node.finalized }
  }
  const pool = { request, run: (work: (one: object) => unknown) => work({ request }) } as never
  const { countedEpochs: count } = createBeaconChain(pool, 3, { now: () => node.now })
  return { node, count }
}

test('an epoch counts when it is final with the two after it', async () => {
  const { count } = countedBy()
  expect(await count()).toEqual({ fromEpoch: 3, toEpoch: 8 })
})

test('finality is asked for once a slot, however many want to know', async () => {
  const { node, count } = countedBy()
  await Promise.all([count(), count(), count()])
  node.finalized = 11
  node.now += SLOT_MS - 1
  expect([(await count()).toEpoch, node.asked]).toEqual([8, 1])
  node.now += 1
  expect([(await count()).toEpoch, node.asked]).toEqual([9, 2])
})

test('what was final stays final, whatever a node says later, or does not', async () => {
  const { node, count } = countedBy()
  await count()
  for (const finalized of [7, new UpstreamError('timeout', 'too late')]) {
    node.now += SLOT_MS
    node.finalized = finalized
    expect((await count()).toEpoch).toBe(8)
  }
})

test('the count is unknown until a node reports it', async () => {
  const { node, count } = countedBy()
  node.finalized = new UpstreamError('unavailable', 'away')
  await expect(count()).rejects.toThrow('away')
  node.finalized = 10
  expect((await count()).toEpoch).toBe(8)
  node.finalized = new Error('a bug')
  node.now += SLOT_MS
  await expect(count()).rejects.toThrow('a bug')
})
