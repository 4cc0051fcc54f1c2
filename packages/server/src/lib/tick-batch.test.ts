import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withTenant } from './tenant.ts'
import { createTickBatch } from './tick-batch.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => void vi.useRealTimers())

const GATHERING = { quietMs: 3, mostMs: 15 }

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Advances time by `ms`, with a turn of the event loop before and after. */
async function pass(ms: number): Promise<void> {
  await turn()
  await vi.advanceTimersByTimeAsync(ms)
  await turn()
}

/** Batches in order. */
function batches(gathering?: typeof GATHERING) {
  const left: string[][] = []
  const ask = createTickBatch(async (asked: readonly string[]) => {
    left.push([...asked])
    return asked.map((what) => what.toUpperCase())
  }, gathering)
  return { left, ask }
}

test('requests of one turn leave together, and each has its own answer', async () => {
  const { left, ask } = batches()
  const answers = Promise.all([ask('a'), ask('b')])
  await pass(0)
  const later = ask('c')
  await pass(0)
  expect(await Promise.all([answers, later])).toEqual([['A', 'B'], 'C'])
  expect(left).toEqual([['a', 'b'], ['c']])
})

test('a gather continues while more is asked for, and no longer than it may', async () => {
  const { left, ask } = batches(GATHERING)
  const answers = []
  for (const what of 'abcdefghijkl') {
    answers.push(ask(what))
    await pass(2)
  }
  await pass(6)
  expect((await Promise.all(answers)).join('')).toBe('ABCDEFGHIJKL')
  // One every 2 ms: eight of them arrive within 15 ms.
  expect(left.map((each) => each.join(''))).toEqual(['abcdefgh', 'ijkl'])
})

test('who asks alone waits for the quiet alone', async () => {
  const { left, ask } = batches(GATHERING)
  const answer = ask('a')
  await pass(GATHERING.quietMs)
  expect(left).toEqual([['a']])
  expect(await answer).toBe('A')
})

test('a gather whose timer was late takes what arrived meanwhile', async () => {
  const { left, ask } = batches(GATHERING)
  const first = ask('a')
  await turn()
  const arrived = turn().then(() => ask('b'))
  vi.advanceTimersByTime(GATHERING.quietMs)
  await pass(GATHERING.mostMs)
  expect(await Promise.all([first, arrived])).toEqual(['A', 'B'])
  expect(left).toEqual([['a', 'b']])
})

test('requests of different tenants leave apart', async () => {
  const { left, ask } = batches(GATHERING)
  const answers = [
    withTenant('one', () => ask('a')),
    withTenant('other', () => ask('b')),
    withTenant('one', () => ask('c')),
  ]
  await pass(6)
  expect(await Promise.all(answers)).toEqual(['A', 'B', 'C'])
  expect(left).toEqual([['a', 'c'], ['b']])
})

test('where the work fails each of them hears it', async () => {
  const ask = createTickBatch<string, string>(async () => {
    throw new Error('broken')
  })
  const answers = Promise.allSettled([ask('a'), ask('b')])
  await pass(0)
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
