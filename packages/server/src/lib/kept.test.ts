import { expect, test, vi } from 'vitest'
import { createKept } from './kept.ts'

/** Values that are fresh below 10 ms and usable below 30, with a manual clock. */
function keptForATime() {
  const time = { now: 1_000 }
  const clock = { now: () => time.now }
  return { time, kept: createKept<string | undefined>({ most: 2, clock, freshMs: 10, goodMs: 30 }) }
}

const unread = async (): Promise<string> => {
  throw new Error('read')
}
const reads = (value: string) => async () => value

test('a fresh value is answered without a read; an older one is read again', async () => {
  const { time, kept } = keptForATime()
  expect(await kept.get('a', reads('one'))).toBe('one')
  time.now += 9
  expect([kept.find('a', unread), await kept.get('a', unread)]).toEqual(['one', 'one'])
  time.now += 1
  expect(await kept.get('a', reads('two'))).toBe('two')
  expect(kept.find('b', unread)).toBeUndefined()
})

test('a good value is answered as it is while one read renews it; one past that is not', async () => {
  const { time, kept } = keptForATime()
  await kept.get('a', reads('one'))
  time.now += 29
  const { promise, resolve } = Promise.withResolvers<string>()
  const read = vi.fn(() => promise)
  expect([kept.find('a', read), kept.find('a', read), read.mock.calls]).toEqual(['one', 'one', [['one']]])
  resolve('two')
  expect(await kept.renew('a', read)).toBe('two')
  expect([kept.find('a', read), read.mock.calls.length]).toEqual(['two', 1])
  time.now += 30
  expect(kept.find('a', unread)).toBeUndefined()
})

test('an age counts from the beginning of the read', async () => {
  const { time, kept } = keptForATime()
  await kept.get('a', async () => {
    time.now += 9
    return 'one'
  })
  expect(await kept.get('a', unread)).toBe('one')
  time.now += 1
  expect(await kept.get('a', reads('two'))).toBe('two')
})

test('callers of one key share a read and its failure, others do not; a failure is not kept', async () => {
  const { kept } = keptForATime()
  const failing = vi.fn(unread)
  const settled = await Promise.allSettled([
    kept.get('a', failing),
    kept.renew('a', failing),
    kept.get('b', reads('b')),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  expect(failing).toHaveBeenCalledTimes(1)
  expect(await kept.get('a', reads('one'))).toBe('one')
})

test('a failed renewal keeps the value, which stays good and is tried again', async () => {
  const { time, kept } = keptForATime()
  await kept.get('a', reads('one'))
  time.now += 10
  await expect(kept.get('a', unread)).rejects.toThrow('read')
  expect(kept.find('a', unread)).toBe('one')
  await expect(kept.renew('a', unread)).rejects.toThrow('read')
  time.now += 20
  expect(await kept.get('a', async (before) => `${before}, still`)).toBe('one, still')
})

test('how long a value lasts may depend on it', async () => {
  const clock = { now: vi.fn(() => 0) }
  const kept = createKept<number>({ clock, freshMs: (value) => value })
  await Promise.all([kept.get('short', async () => 5), kept.get('long', async () => 50)])
  clock.now.mockReturnValue(5)
  expect(await Promise.all([kept.get('short', async () => 6), kept.get('long', async () => 60)])).toEqual([6, 50])
})

test('the key that was read longest ago makes room; a read that finds nothing forgets its key', async () => {
  const { kept } = keptForATime()
  await kept.get('a', reads('one'))
  await kept.get('b', reads('two'))
  await kept.renew('a', reads('three'))
  await kept.get('c', reads('four'))
  expect(['a', 'b', 'c'].map((key) => kept.find(key, unread))).toEqual(['three', undefined, 'four'])
  expect(await kept.renew('a', async () => undefined)).toBeUndefined()
  expect(kept.find('a', unread)).toBeUndefined()
})

test('without a clock a value is kept for ever, null too', async () => {
  const kept = createKept<string | null>()
  await kept.get('a', async () => null)
  expect([await kept.get('a', unread), kept.find('a', unread)]).toEqual([null, null])
})
