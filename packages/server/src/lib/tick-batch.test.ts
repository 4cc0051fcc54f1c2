import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onBehalfOf } from './fair-gate.ts'
import { createTickBatch } from './tick-batch.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] }))
afterEach(() => void vi.useRealTimers())

const GATHERING = { quietMs: 3, mostMs: 15 }

/** What left together, in order. */
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
  await vi.advanceTimersByTimeAsync(0)
  const later = ask('c')
  await vi.advanceTimersByTimeAsync(0)
  expect(await Promise.all([answers, later])).toEqual([['A', 'B'], 'C'])
  expect(left).toEqual([['a', 'b'], ['c']])
})

test('a gather goes on while more is asked for, and no longer than it may', async () => {
  const { left, ask } = batches(GATHERING)
  const answers = []
  for (const what of 'abcdefghijkl') {
    answers.push(ask(what))
    await vi.advanceTimersByTimeAsync(2)
  }
  await vi.advanceTimersByTimeAsync(6)
  expect((await Promise.all(answers)).join('')).toBe('ABCDEFGHIJKL')
  // One every 2 ms: eight of them come before 15 ms are over.
  expect(left.map((each) => each.join(''))).toEqual(['abcdefgh', 'ijkl'])
})

test('who asks alone waits for the quiet alone', async () => {
  const { left, ask } = batches(GATHERING)
  const answer = ask('a')
  await vi.advanceTimersByTimeAsync(GATHERING.quietMs)
  expect(left).toEqual([['a']])
  expect(await answer).toBe('A')
})

test('those of different parties leave apart', async () => {
  const { left, ask } = batches(GATHERING)
  const answers = [
    onBehalfOf('one', () => ask('a')),
    onBehalfOf('other', () => ask('b')),
    onBehalfOf('one', () => ask('c')),
  ]
  await vi.advanceTimersByTimeAsync(6)
  expect(await Promise.all(answers)).toEqual(['A', 'B', 'C'])
  expect(left).toEqual([['a', 'c'], ['b']])
})

test('where the work fails each of them hears it', async () => {
  const ask = createTickBatch<string, string>(async () => {
    throw new Error('broken')
  })
  const answers = Promise.allSettled([ask('a'), ask('b')])
  await vi.advanceTimersByTimeAsync(0)
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
