import { expect, test } from 'vitest'
import { createWorkQueue } from './work-queue.ts'

/** A queue whose batches end when the test decides. */
function steeredQueue(maxBatch = 100) {
  const batches: { items: readonly number[]; end(results: readonly number[] | Error): void }[] = []
  const queue = createWorkQueue<number, number>({
    maxBatch,
    run: (items) =>
      new Promise((resolve, reject) => {
        batches.push({ items, end: (results) => (results instanceof Error ? reject(results) : resolve(results)) })
      }),
  })
  return { queue, batches }
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('a batch at a time; what arrives meanwhile is the next batch, in order', async () => {
  const { queue, batches } = steeredQueue()
  const first = [queue.push(1), queue.push(2)]
  await turn()
  const second = [queue.push(3), queue.push(4)]
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
  const { queue, batches } = steeredQueue()
  const seen: number[] = []
  const first = queue.push(1).then(() => seen.push(batches.length))
  await turn()
  const second = queue.push(2)
  batches[0]?.end([10])
  await first
  expect(seen).toEqual([2])
  batches[1]?.end([20])
  expect(await second).toBe(20)
})

test('a failed batch fails its items only', async () => {
  const { queue, batches } = steeredQueue()
  const failing = queue.push(1)
  await turn()
  const later = queue.push(2)
  batches[0]?.end(new Error('gone'))
  await expect(failing).rejects.toThrow('gone')
  await turn()
  batches[1]?.end([20])
  expect(await later).toBe(20)
})

test('no batch is larger than the maximum', async () => {
  const sizes: number[] = []
  const queue = createWorkQueue<number, number>({
    maxBatch: 3,
    run: async (items) => {
      sizes.push(items.length)
      return items
    },
  })
  expect(await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => queue.push(n)))).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(sizes).toEqual([3, 3, 1])
})

test('drain waits for everything that was pushed, and not at all when idle', async () => {
  const { queue, batches } = steeredQueue()
  await queue.drain()
  const pushed = queue.push(1)
  let drained = false
  const draining = queue.drain().then(() => {
    drained = true
  })
  await turn()
  expect(drained).toBe(false)
  batches[0]?.end([1])
  await Promise.all([pushed, draining])
  expect(drained).toBe(true)
})
