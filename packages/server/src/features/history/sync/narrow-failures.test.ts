import { expect, test } from 'vitest'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { narrowFailures } from './narrow-failures.ts'

const items = Array.from({ length: 100 }, (_, i) => i)
const bug = new TypeError('x is undefined')
const noCheck = () => undefined

/** Rejects if its part contains one of these. */
function workWithout(poison: readonly number[], error: unknown = bug) {
  const done = new Set<number>()
  let runs = 0
  return {
    done,
    runs: () => runs,
    work: async (part: readonly number[]) => {
      runs += 1
      if (part.some((item) => poison.includes(item))) throw error
      for (const item of part) done.add(item)
      return new Map<number, unknown>()
    },
  }
}

test.each([[[0]], [[99]], [[37]], [[0, 99]], [[12, 13, 60]], [[1, 20, 40, 60, 80]]])(
  'items %j that make the shared work fail are found, and the others are done',
  async (poison) => {
    const { work, done, runs } = workWithout(poison)
    const narrowed = await narrowFailures(items, work, noCheck)
    expect(narrowed).toEqual({ failed: new Map(poison.map((item) => [item, bug])) })
    expect([...done].toSorted((a, b) => a - b)).toEqual(items.filter((item) => !poison.includes(item)))
    // Two runs per level of a tree of 100 leaves, for each of them.
    expect(runs()).toBeLessThanOrEqual(1 + poison.length * 14)
  },
)

test('where everything fails no wallet is blamed, and the search soon gives up', async () => {
  const error = new UpstreamError('unavailable', 'no node answers')
  const { work, runs } = workWithout(items, error)
  expect(await narrowFailures(items, work, noCheck)).toEqual({ failed: new Map(), shared: error })
  expect(runs()).toBe(1 + 2 + 4 + 8)
})

test('items that fail by themselves are set apart unless all do, by their nodes', async () => {
  const error = new UpstreamError('invalid', 'no such answer')
  const some = new Map([[3, error]])
  expect(await narrowFailures(items, async () => some, noCheck)).toEqual({ failed: some })
  const all = new Map(items.map((item) => [item, error]))
  expect(await narrowFailures(items, async () => all, noCheck)).toEqual({ failed: new Map(), shared: error })
  expect(await narrowFailures([3], async () => some, noCheck)).toEqual({ failed: some })
})

test('an error that says nothing of the items is thrown on', async () => {
  const { work } = workWithout([5])
  const check = (error: unknown) => {
    throw error
  }
  await expect(narrowFailures(items, work, check)).rejects.toBe(bug)
})
