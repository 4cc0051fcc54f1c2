import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

test('after an outage no request waits for those whose callers have given up', async () => {
  const waits: number[] = []
  const pace = createPace({
    now: () => 0,
    wait: async (ms) => {
      waits.push(ms)
    },
  })
  for (let refusal = 0; refusal < 10; refusal += 1) pace.refused(0, 0)
  expect(pace.isLimited()).toBe(true)
  await Promise.all(Array.from({ length: 20 }, () => pace.turn(false)))
  // One by one at the interval of an outage, 4 s, the last one would wait for 76 s.
  expect(waits).toEqual(Array(19).fill(4_000))
})
