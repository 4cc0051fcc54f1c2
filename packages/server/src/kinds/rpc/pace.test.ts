import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

test('after an outage nobody waits behind those that have given up', { timeout: 20_000 }, async () => {
  const pace = createPace()
  for (let refusal = 0; refusal < 10; refusal += 1) pace.refused(performance.now(), 0)
  // Twenty requests four seconds apart would be more than a minute.
  await Promise.all(Array.from({ length: 20 }, () => pace.turn(false)))
  expect(pace.isLimited()).toBe(true)
})
