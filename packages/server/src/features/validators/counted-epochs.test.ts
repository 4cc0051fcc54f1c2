import { expect, test } from 'vitest'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createCountedEpochs } from './counted-epochs.ts'

const SLOT_MS = 12_000

/** Counted epochs with a node that reports `finalized`, or fails with it. */
function countedBy() {
  const node = { finalized: 10 as number | Error, asked: 0, now: 1_000 }
  const count = createCountedEpochs({
    clock: { now: () => node.now },
    chain: {
      facts: () => Promise.resolve({ firstEpoch: 3 } as never),
      async finalizedEpoch() {
        node.asked += 1
        if (typeof node.finalized !== 'number') throw node.finalized
        return node.finalized
      },
    },
  })
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
