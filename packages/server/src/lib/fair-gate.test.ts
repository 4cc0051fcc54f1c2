import { expect, test, vi } from 'vitest'
import { FairGate, type Places } from './fair-gate.ts'
import { currentTenant, type Tenant, withTenant } from './tenant.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))
const evenly = (places: number): Places => ({ all: places, alone: places, least: places })

/** A gate with a manual clock. The test ends its pieces of work and sees their order. */
function steered(places: Places) {
  const clock = { ms: 0 }
  const gate = new FairGate(places, () => clock.ms)
  const begun: string[] = []
  const ends: { name: string; end: () => void }[] = []
  const ask = (name: string, tenant?: Tenant) =>
    gate.run(tenant, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.push({ name, end: resolve }))
      return name
    })
  /** Ends the work of this name, or the oldest running one. */
  const endOne = async (wanted?: string) => {
    const index = wanted === undefined ? 0 : ends.findIndex(({ name }) => name === wanted)
    ends.splice(index, 1)[0]?.end()
    await turn()
  }
  return { ask, begun, endOne, clock }
}

test('tenants take turns, however much one of them asks for', async () => {
  const { ask, begun, endOne } = steered(evenly(2))
  const flood = Array.from({ length: 6 }, (_, i) => ask(`flood ${i}`, 'flood'))
  const single = ask('single', 'single')
  const other = [0, 1].map((i) => ask(`other ${i}`, 'other'))
  for (let i = 0; i < 9; i += 1) await endOne()
  expect(begun).toEqual([
    ...['flood 0', 'flood 1', 'flood 2', 'single', 'other 0', 'flood 3', 'other 1', 'flood 4', 'flood 5'],
  ])
  expect(await Promise.all([...flood, single, ...other])).toHaveLength(9)
})

test('work that follows asynchronously has the same tenant, and work without a tenant has its own queue', async () => {
  const { ask, begun, endOne } = steered(evenly(1))
  const first = ask('first')
  const later = withTenant('a', async () => {
    await Promise.resolve()
    return Promise.all([ask('a 0', currentTenant()), ask('a 1', currentTenant())])
  })
  await turn()
  const background = ask('job', currentTenant())
  for (let i = 0; i < 4; i += 1) await endOne()
  await Promise.all([first, later, background])
  expect(begun).toEqual(['first', 'a 0', 'job', 'a 1'])
})

test('a tenant leaves places for the first work of another, and has few places until five seconds after that', async () => {
  const { ask, begun, endOne, clock } = steered({ all: 5, alone: 4, least: 2 })
  const all = Array.from({ length: 12 }, (_, i) => ask(`flood ${i}`, 'flood'))
  expect(begun).toEqual(['flood 0', 'flood 1', 'flood 2', 'flood 3'])
  all.push(ask('single', 'single'))
  expect(begun.slice(4)).toEqual(['single'])
  await endOne('flood 0')
  await endOne('flood 1')
  expect(begun.slice(5)).toEqual([])
  await endOne('flood 2')
  expect(begun.slice(5)).toEqual(['flood 4'])
  await endOne('single')
  clock.ms = 4_999
  await endOne('flood 3')
  expect(begun.slice(6)).toEqual(['flood 5'])
  clock.ms = 5_000
  await endOne('flood 4')
  expect(begun.slice(7)).toEqual(['flood 6', 'flood 7', 'flood 8'])
  for (let i = 5; i < 12; i += 1) await endOne(`flood ${i}`)
  expect(await Promise.all(all)).toHaveLength(13)
})

test('a tenant that rests begins nothing while another works for as long as its last work took, and then continues', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const { ask, begun, endOne, clock } = steered({ all: 4, alone: 2, least: 1, rests: true })
    const all = Array.from({ length: 4 }, (_, i) => ask(`flood ${i}`, 'flood'))
    await endOne('flood 0')
    expect(begun).toEqual(['flood 0', 'flood 1', 'flood 2'])
    all.push(ask('single', 'single'))
    clock.ms = 30
    await endOne('flood 1')
    await endOne('flood 2')
    await endOne('single')
    await vi.advanceTimersByTimeAsync(29)
    expect(begun.slice(3)).toEqual(['single'])
    await vi.advanceTimersByTimeAsync(1)
    expect(begun.slice(4)).toEqual(['flood 3'])
    await endOne()
    expect(await Promise.all(all)).toHaveLength(5)
  } finally {
    vi.useRealTimers()
  }
})

test('tenants that want many places at once share them evenly', async () => {
  const { ask, begun, endOne } = steered({ all: 6, alone: 5, least: 1 })
  const flood = (tenant: string) => Array.from({ length: 6 }, (_, i) => ask(`${tenant} ${i}`, tenant))
  const all = [...flood('one'), ...flood('two')]
  // The second one gets the free places and those that the first one returns above its half.
  expect(begun).toEqual(['one 0', 'one 1', 'one 2', 'one 3', 'one 4', 'two 0'])
  await endOne('one 0')
  await endOne('one 1')
  expect(begun.slice(6)).toEqual(['two 1', 'two 2'])
  await endOne('two 0')
  expect(begun.slice(8)).toEqual(['two 3'])
  await endOne('one 2')
  expect(begun.slice(9)).toEqual(['one 5'])
  while (begun.length < 12) await endOne()
  for (let i = 0; i < 6; i += 1) await endOne()
  expect(await Promise.all(all)).toHaveLength(12)
})

test('jobs give way to tenants, and no tenant to jobs', async () => {
  const { ask, begun, endOne } = steered({ all: 6, alone: 4, least: 2, jobs: 1 })
  const jobs = Array.from({ length: 6 }, (_, i) => ask(`job ${i}`))
  expect(begun).toEqual(['job 0', 'job 1', 'job 2', 'job 3'])
  await endOne('job 0')
  await endOne('job 1')
  expect(begun.slice(4)).toEqual(['job 4', 'job 5'])
  const tenant = Array.from({ length: 4 }, (_, i) => ask(`tenant ${i}`, 'tenant'))
  expect(begun.slice(6)).toEqual(['tenant 0', 'tenant 1'])
  const later = ask('job 6')
  await endOne('job 2')
  await endOne('job 3')
  expect(begun.slice(8)).toEqual(['tenant 2', 'tenant 3'])
  await endOne('job 4')
  expect(begun).toHaveLength(10)
  await endOne('job 5')
  expect(begun.slice(10)).toEqual(['job 6'])
  for (let i = 0; i < 5; i += 1) await endOne()
  await Promise.all([...jobs, ...tenant, later])
})

test('at most so many run at once, also after failures', async () => {
  const gate = new FairGate(evenly(2))
  let running = 0
  let most = 0
  const work = (fails: boolean) =>
    gate.run(undefined, async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (fails) throw new Error('failed')
    })
  const outcomes = await Promise.allSettled([true, false, true, true, false, false].map(work))
  expect(outcomes.map(({ status }) => status === 'rejected')).toEqual([true, false, true, true, false, false])
  expect([most, running]).toEqual([2, 0])
})
