import type { UsageOutcome, UsageView } from '../api/types.ts'

/** Outcomes of calls in stacking order, answered ones at the bottom. */
export const OUTCOMES = [
  'ok',
  'input',
  'access',
  'credits',
  'rate',
  'busy',
  'failed',
] as const satisfies readonly UsageOutcome[]

export type UsageLine = UsageView['lines'][number]

export type UsageSum = {
  key: string
  requests: number
  credits: number
  byOutcome: Readonly<Record<UsageOutcome, number>>
}

const NONE = { ok: 0, input: 0, access: 0, credits: 0, rate: 0, busy: 0, failed: 0 } as const

const nothing = (key: string): UsageSum => ({ key, requests: 0, credits: 0, byOutcome: NONE })

const plus = (sum: UsageSum, { outcome, requests, credits }: UsageLine): UsageSum => ({
  key: sum.key,
  requests: sum.requests + requests,
  credits: sum.credits + credits,
  byOutcome: { ...sum.byOutcome, [outcome]: sum.byOutcome[outcome] + requests },
})

/** Sums by a key, e.g. the endpoint. */
export function sumUsage(lines: readonly UsageLine[], keyOf: (line: UsageLine) => string): UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const line of lines) {
    const key = keyOf(line)
    sums.set(key, plus(sums.get(key) ?? nothing(key), line))
  }
  return [...sums.values()]
}

const DAY_MS = 86_400_000

/** Includes days (UTC) without calls. */
export function usageByDay({ from, to, lines }: Pick<UsageView, 'from' | 'to' | 'lines'>): UsageSum[] {
  const sums = new Map(sumUsage(lines, ({ day }) => day).map((sum) => [sum.key, sum]))
  const days: UsageSum[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10)
    days.push(sums.get(day) ?? nothing(day))
  }
  return days
}

type Segment = { outcome: UsageOutcome; y: number; height: number }

const LEAST_HEIGHT = 1.5

/**
 * Returns segments bottom up. `height` is the chart's, `most` the calls of its highest bar. Unsuccessful outcomes stay
 * visible however few.
 */
export function stackOutcomes({ byOutcome }: UsageSum, most: number, height: number): Segment[] {
  const segments: Segment[] = []
  let foot = height
  for (const outcome of OUTCOMES) {
    const count = byOutcome[outcome]
    if (count === 0) continue
    const own = Math.max((count / most) * height, LEAST_HEIGHT)
    foot = Math.max(foot - own, 0)
    segments.push({ outcome, y: foot, height: own })
  }
  return segments
}
