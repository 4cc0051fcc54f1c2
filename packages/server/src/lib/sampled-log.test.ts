import { expect, test } from 'vitest'
import { createSampledWarn } from './sampled-log.ts'

test('the first line of a kind is written at once, then one in ten seconds with how many were left out', () => {
  let now = 0
  const lines: [object, string][] = []
  const log = { warn: (fields: object, message: string) => void lines.push([fields, message]) }
  const warn = createSampledWarn(log as never, () => now)
  for (now = 0; now < 25_000; now += 10) warn('busy', { requestId: now }, 'request not served: busy')
  warn('other', {}, 'request not served: other')
  expect(lines).toEqual([
    [{ requestId: 0 }, 'request not served: busy'],
    [{ requestId: 10_000, leftOut: 999 }, 'request not served: busy'],
    [{ requestId: 20_000, leftOut: 999 }, 'request not served: busy'],
    [{}, 'request not served: other'],
  ])
})
