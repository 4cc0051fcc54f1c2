import { expect, test } from 'vitest'
import { stackOutcomes, sumUsage, type UsageLine, usageByDay } from './usage.ts'

const line = (day: string, more: Partial<UsageLine> = {}): UsageLine => ({
  day,
  keyId: '1',
  endpoint: 'getNav',
  outcome: 'ok',
  requests: 10,
  credits: 20,
  ...more,
})

const lines = [
  line('2026-02-27'),
  line('2026-02-27', { outcome: 'rate', requests: 3, credits: 0 }),
  line('2026-03-01', { keyId: '2', endpoint: 'getPortfolio', requests: 1, credits: 4 }),
  line('2026-03-01', { keyId: '2', outcome: 'failed', requests: 2, credits: 0 }),
]

test('calls are summed by what they have in common', () => {
  const shown = (sums: ReturnType<typeof sumUsage>) =>
    sums.map(({ key, requests, credits }) => [key, requests, credits])
  expect(shown(sumUsage(lines, ({ endpoint }) => endpoint))).toEqual([
    ['getNav', 15, 20],
    ['getPortfolio', 1, 4],
  ])
  expect(sumUsage(lines, ({ keyId }) => keyId)[1]?.byOutcome).toEqual({
    ok: 1,
    input: 0,
    access: 0,
    credits: 0,
    rate: 0,
    busy: 0,
    failed: 2,
  })
})

test('a day without calls is a day, also over the end of a month', () => {
  const days = usageByDay({ from: '2026-02-27', to: '2026-03-01', lines })
  expect(days.map(({ key, requests }) => [key, requests])).toEqual([
    ['2026-02-27', 13],
    ['2026-02-28', 0],
    ['2026-03-01', 3],
  ])
})

test('bars stand on their foot, and the rarest outcome is seen', () => {
  const [sum] = sumUsage(
    [line('2026-03-01', { requests: 75 }), line('2026-03-01', { outcome: 'busy', requests: 25 })],
    ({ day }) => day,
  )
  if (!sum) throw new Error('no sum')
  expect(stackOutcomes(sum, 200, 80)).toEqual([
    { outcome: 'ok', y: 50, height: 30 },
    { outcome: 'busy', y: 40, height: 10 },
  ])
  const [rare] = sumUsage(
    [line('2026-03-01', { requests: 9_999 }), line('2026-03-01', { outcome: 'failed', requests: 1 })],
    ({ day }) => day,
  )
  expect(rare && stackOutcomes(rare, 10_000, 80).at(-1)).toEqual({ outcome: 'failed', y: 0, height: 1.5 })
})
