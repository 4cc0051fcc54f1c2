import { expect, test } from 'vitest'
import { createGather } from './gather.ts'

const TERMS = { leastMs: 0, mostMs: 600_000, size: 3 }

/** Work that the test ends. */
function steered() {
  const pieces: { asked: readonly string[]; end(): void }[] = []
  const ask = createGather(TERMS, (asked: readonly string[]) => {
    const ended = Promise.withResolvers<string[]>()
    pieces.push({ asked, end: () => ended.resolve(asked.map((one) => `${one}!`)) })
    return ended.promise
  })
  const begun = async (count: number) => {
    await expect.poll(() => pieces.length).toBe(count)
    return pieces.map(({ asked }) => asked)
  }
  return { ask, pieces, begun }
}

test('requests that come together are one piece of work, and those that come meanwhile are the next', async () => {
  const { ask, pieces, begun } = steered()
  const first = Promise.all(['a', 'b'].map(ask))
  expect(await begun(1)).toEqual([['a', 'b']])
  const next = Promise.all(['c', 'd'].map(ask))
  // Long after the minimum wait they are still held.
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  const last = ask('e')
  expect(pieces).toHaveLength(1)
  pieces[0]?.end()
  expect(await first).toEqual(['a!', 'b!'])
  expect(await begun(2)).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ])
  pieces[1]?.end()
  expect([await next, await last]).toEqual([['c!', 'd!'], 'e!'])
})

test('more requests than one piece takes are several, at once', async () => {
  const { ask, pieces, begun } = steered()
  const all = Promise.all(['a', 'b', 'c', 'd'].map(ask))
  expect(await begun(2)).toEqual([['a', 'b', 'c'], ['d']])
  for (const { end } of pieces) end()
  expect(await all).toEqual(['a!', 'b!', 'c!', 'd!'])
})

test('requests wait for work under way no longer than they may', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<string[]>()]
  const ask = createGather({ ...TERMS, mostMs: 1 }, async (asked: readonly string[]) => {
    if (!asked.includes('slow')) return asked
    begun.resolve()
    return ended.promise
  })
  const slow = ask('slow')
  await begun.promise
  expect(await ask('quick')).toBe('quick')
  ended.resolve(['slow'])
  expect(await slow).toBe('slow')
})

test('a request that fails does so alone', async () => {
  const pieces: string[][] = []
  const ask = createGather(TERMS, async (asked: readonly string[]) => {
    pieces.push([...asked])
    if (asked.includes('bad')) throw new Error('it is bad')
    return asked
  })
  const [one, bad, two] = await Promise.allSettled(['one', 'bad', 'two'].map(ask))
  expect([one, two]).toEqual(['one', 'two'].map((value) => ({ status: 'fulfilled', value })))
  expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'it is bad' } })
  expect(pieces).toEqual([['one', 'bad', 'two'], ['one'], ['bad'], ['two']])
})
