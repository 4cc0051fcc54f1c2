import type { UsageOutcome } from '../api/types.ts'
import { t } from '../lib/i18n.ts'
import { formatCount } from '../lib/money.ts'
import { formatDay } from '../lib/time.ts'
import { OUTCOMES, stackOutcomes, type UsageSum } from '../lib/usage.ts'

const colors: Readonly<Record<UsageOutcome, string>> = {
  ok: 'var(--series-1)',
  input: 'var(--series-3)',
  access: 'var(--series-4)',
  credits: 'var(--series-6)',
  rate: 'var(--series-2)',
  busy: 'var(--series-8)',
  failed: 'var(--series-7)',
}

export function outcomeName(outcome: UsageOutcome): string {
  if (outcome === 'ok') return t('answered')
  if (outcome === 'input') return t('invalid input')
  if (outcome === 'access') return t('not allowed')
  if (outcome === 'credits') return t('no credits')
  if (outcome === 'rate') return t('rate limit')
  return outcome === 'busy' ? t('service busy') : t('failed')
}

type UsageBarsProps = { name: string; days: readonly UsageSum[]; size?: 'line' | 'full' }

const STEP = 8
const BAR = 6
const heights = { line: 24, full: 120 } as const

/** Stacked by outcome. The figures are in text next to it, or in a table. */
export function UsageBars({ name, days, size = 'full' }: UsageBarsProps) {
  const height = heights[size]
  const most = Math.max(...days.map(({ requests }) => requests), 1)
  const width = days.length * STEP
  return (
    <svg
      role="img"
      aria-label={name}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={size === 'line' ? 'h-6 w-28' : 'h-32 w-full'}
    >
      <path d={`M0 ${height - 0.5}H${width}`} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
      {days.map((day, index) => (
        <g key={day.key}>
          <title>{dayText(day)}</title>
          <rect x={index * STEP} width={STEP} height={height} fill="transparent" />
          {stackOutcomes(day, most, height).map((segment) => (
            <rect
              key={segment.outcome}
              x={index * STEP + (STEP - BAR) / 2}
              width={BAR}
              y={segment.y}
              height={segment.height}
              fill={colors[segment.outcome]}
            />
          ))}
        </g>
      ))}
    </svg>
  )
}

function dayText(day: UsageSum): string {
  const ended = OUTCOMES.filter((outcome) => day.byOutcome[outcome] > 0)
  const counts = ended.map((outcome) => `${outcomeName(outcome)} ${formatCount(day.byOutcome[outcome])}`)
  return [formatDay(day.key), ...counts].join(' · ')
}

export function OutcomeLegend({ outcomes }: { outcomes: readonly UsageOutcome[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {outcomes.map((outcome) => (
        <li key={outcome} className="flex items-center gap-1.5">
          <span aria-hidden className="size-2.5 rounded-sm" style={{ background: colors[outcome] }} />
          {outcomeName(outcome)}
        </li>
      ))}
    </ul>
  )
}
