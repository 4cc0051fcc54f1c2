import { expect, test } from 'vitest'
import { createSampledWarn } from './sampled-log.ts'

test('the first line of a kind is written at once, then one in ten seconds with how many were left out', () => {
  let now = 0
  const lines: [object, string][] = []
  const log = { warn: (fields: object, message: string) => void lines.push([fields, message]) }
  const warn = createSampledWarn(log as never, () => now)
  for (now = 0; now < 25_000; now += 10) warn('busy', { requestId: now }, 'not answered: busy')
  warn('other', {}, 'not answered: other')
  expect(lines).toEqual([
    [{ requestId: 0 }, 'not answered: busy'],
    [{ requestId: 10_000, leftOut: 999 }, 'not answered: busy'],
    [{ requestId: 20_000, leftOut: 999 }, 'not answered: busy'],
    [{}, 'not answered: other'],
  ])
})
