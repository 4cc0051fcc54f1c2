import { expect, test } from 'vitest'
import { createFairGate, onBehalfOf } from './fair-gate.ts'

/** A gate whose pieces of work end when the test says so, and the order in which they began. */
function steered(limit: number) {
  const gate = createFairGate(limit)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (name: string) =>
    gate(async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
      return name
    })
  const endOne = async () => {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ask, begun, endOne }
}

test('parties take turns, however much one of them asks for', async () => {
  const { ask, begun, endOne } = steered(2)
  const flood = Array.from({ length: 6 }, (_, i) => onBehalfOf('flood', () => ask(`flood ${i}`)))
  const single = onBehalfOf('single', () => ask('single'))
  const other = [0, 1].map((i) => onBehalfOf('other', () => ask(`other ${i}`)))
  for (let i = 0; i < 9; i += 1) await endOne()
  expect(begun).toEqual([
    'flood 0',
    'flood 1',
    'flood 2',
    'single',
    'other 0',
    'flood 3',
    'other 1',
    'flood 4',
    'flood 5',
  ])
  expect(await Promise.all([...flood, single, ...other])).toHaveLength(9)
})

test('what follows asynchronously is on behalf of the same party, and work of nobody has a lane of its own', async () => {
  const { ask, begun, endOne } = steered(1)
  const first = ask('first')
  const later = onBehalfOf('a', async () => {
    await Promise.resolve()
    return Promise.all([ask('a 0'), ask('a 1')])
  })
  await new Promise((resolve) => setImmediate(resolve))
  const background = ask('job')
  for (let i = 0; i < 4; i += 1) await endOne()
  await Promise.all([first, later, background])
  expect(begun).toEqual(['first', 'a 0', 'job', 'a 1'])
})

test('at most so many run at once, also after failures', async () => {
  const gate = createFairGate(2)
  let running = 0
  let most = 0
  const work = (fails: boolean) =>
    gate(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (fails) throw new Error('failed')
    })
  const outcomes = await Promise.allSettled([true, false, true, true, false, false].map(work))
  expect(outcomes.map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect([most, running]).toEqual([2, 0])
})
