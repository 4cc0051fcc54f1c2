import { expect, test } from 'vitest'
import { createLane } from './lane.ts'

/** A lane whose batches end when the test decides. */
function steeredLane(maxBatch = 100) {
  const batches: { items: readonly number[]; end(results: readonly number[] | Error): void }[] = []
  const lane = createLane<number, number>({
    maxBatch,
    run: (items) =>
      new Promise((resolve, reject) => {
        batches.push({ items, end: (results) => (results instanceof Error ? reject(results) : resolve(results)) })
      }),
  })
  return { lane, batches }
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('a batch at a time; what arrives meanwhile is the next batch, in order', async () => {
  const { lane, batches } = steeredLane()
  const first = [lane.push(1), lane.push(2)]
  await turn()
  const second = [lane.push(3), lane.push(4)]
  await turn()
  expect(batches.map(({ items }) => items)).toEqual([[1, 2]])
  batches[0]?.end([10, 20])
  expect(await Promise.all(first)).toEqual([10, 20])
  await turn()
  expect(batches.map(({ items }) => items)).toEqual([
    [1, 2],
    [3, 4],
  ])
  batches[1]?.end([30, 40])
  expect(await Promise.all(second)).toEqual([30, 40])
})

test('what waits is sent before the items of the last batch are answered', async () => {
  const { lane, batches } = steeredLane()
  const seen: number[] = []
  const first = lane.push(1).then(() => seen.push(batches.length))
  await turn()
  const second = lane.push(2)
  batches[0]?.end([10])
  await first
  expect(seen).toEqual([2])
  batches[1]?.end([20])
  expect(await second).toBe(20)
})

test('a failed batch fails its items only', async () => {
  const { lane, batches } = steeredLane()
  const failing = lane.push(1)
  await turn()
  const later = lane.push(2)
  batches[0]?.end(new Error('gone'))
  await expect(failing).rejects.toThrow('gone')
  await turn()
  batches[1]?.end([20])
  expect(await later).toBe(20)
})

test('no batch is larger than the maximum', async () => {
  const sizes: number[] = []
  const lane = createLane<number, number>({
    maxBatch: 3,
    run: async (items) => {
      sizes.push(items.length)
      return items
    },
  })
  expect(await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => lane.push(n)))).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(sizes).toEqual([3, 3, 1])
})

test('drain waits for everything that was pushed, and not at all when idle', async () => {
  const { lane, batches } = steeredLane()
  await lane.drain()
  const pushed = lane.push(1)
  let drained = false
  const draining = lane.drain().then(() => {
    drained = true
  })
  await turn()
  expect(drained).toBe(false)
  batches[0]?.end([1])
  await Promise.all([pushed, draining])
  expect(drained).toBe(true)
})
