import { expect, test } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'

function breakerAt(start = 1_000_000) {
  const clock = { time: start, now: () => clock.time }
  const breaker = createCircuitBreaker(clock)
  /** True if it admits a call after the given milliseconds. */
  const admitsAfter = (ms: number) => {
    clock.time += ms
    return breaker.admits()
  }
  return { clock, breaker, admitsAfter }
}

function failTimes(breaker: ReturnType<typeof breakerAt>['breaker'], times: number): void {
  const departures = Array.from({ length: times }, () => breaker.begin())
  for (const departure of departures) breaker.fail(departure)
}

test('five failures within ten seconds open it, four do not', () => {
  const { breaker } = breakerAt()
  failTimes(breaker, 4)
  expect(breaker.admits()).toBe(true)
  failTimes(breaker, 1)
  expect(breaker.admits()).toBe(false)
})

test('failures far apart, or with a success between them, do not open it', () => {
  const { clock, breaker } = breakerAt()
  for (let i = 0; i < 20; i += 1) {
    failTimes(breaker, 1)
    clock.time += 2_600
  }
  expect(breaker.admits()).toBe(true)
  failTimes(breaker, 3)
  breaker.succeed()
  failTimes(breaker, 4)
  expect(breaker.admits()).toBe(true)
})

test('after five seconds one probe is let through; its outcome decides', () => {
  const { breaker, admitsAfter } = breakerAt()
  failTimes(breaker, 5)
  expect([admitsAfter(4_999), admitsAfter(1)]).toEqual([false, true])
  const probe = breaker.begin()
  expect(breaker.admits()).toBe(false)
  breaker.fail(probe)
  expect([admitsAfter(9_999), admitsAfter(1)]).toEqual([false, true])
  breaker.begin()
  breaker.succeed()
  expect(breaker.admits()).toBe(true)
})

test('it never stays shut for longer than a minute', () => {
  const { breaker, admitsAfter } = breakerAt()
  failTimes(breaker, 5)
  for (let i = 0; i < 20; i += 1) {
    expect(admitsAfter(60_000)).toBe(true)
    failTimes(breaker, 1)
  }
})

test('a rest that was asked for is kept', () => {
  const { breaker, admitsAfter } = breakerAt()
  breaker.rest(7_000)
  expect([admitsAfter(6_999), admitsAfter(1)]).toEqual([false, true])
})

test('callers that come while the probe is under way can wait for its outcome', async () => {
  const { clock, breaker } = breakerAt()
  expect(breaker.probe()).toBeUndefined()
  for (const outcome of ['fail', 'succeed'] as const) {
    failTimes(breaker, 5)
    clock.time += 60_000
    const departure = breaker.begin()
    const probe = breaker.probe()
    breaker[outcome](departure)
    await expect(probe).resolves.toBeUndefined()
    expect(breaker.probe()).toBeUndefined()
    expect(breaker.admits()).toBe(outcome === 'succeed')
  }
})

test('a probe that never came back is not waited for', () => {
  const { clock, breaker } = breakerAt()
  failTimes(breaker, 5)
  clock.time += 60_000
  breaker.begin()
  clock.time += 15_000
  expect(breaker.probe()).toBeUndefined()
  expect(breaker.admits()).toBe(true)
})

test.each(['before it opened', 'while it was open'])(
  'a failure of what left %s prolongs nothing and is no outcome of a probe',
  (left) => {
    const { clock, breaker } = breakerAt()
    const before = breaker.begin()
    failTimes(breaker, 12)
    const slow = left === 'before it opened' ? before : breaker.begin()
    clock.time += 5_000
    breaker.fail(slow)
    expect(breaker.admits()).toBe(true)
    breaker.begin()
    breaker.fail(slow)
    expect([breaker.probe() !== undefined, breaker.openings()]).toEqual([true, 1])
  },
)

test('a refusal opens nothing, however often; others are asked first for a moment', () => {
  const { clock, breaker } = breakerAt()
  for (let i = 0; i < 50; i += 1) breaker.refuse()
  expect([breaker.admits(), breaker.failedLately()]).toEqual([true, true])
  clock.time += 2_000
  expect(breaker.failedLately()).toBe(false)
})
