import { i18n } from '@lingui/core'
import { type ReactNode, useState } from 'react'
import type { SeriesDay } from '../../api/series.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { t } from '../../lib/i18n.ts'
import { formatDay } from '../../lib/time.ts'
import { type DayState, monthAfter, monthOf, stateOf, weeksOf } from './days.ts'

type CalendarCardProps = {
  days: readonly SeriesDay[]
  wallets: number
  chosen: string | undefined
  onChoose: (day: string) => void
  aside: ReactNode
}

/** A press shows the day. */
export function CalendarCard({ days, wallets, chosen, onChoose, aside }: CalendarCardProps) {
  const first = monthOf(days[0]?.date ?? '')
  const last = monthOf(days.at(-1)?.date ?? '')
  const [month, setMonth] = useState(() => (chosen && inRange(monthOf(chosen), first, last) ? monthOf(chosen) : last))
  const states = new Map(days.map((day) => [day.date, stateOf(day, wallets)]))
  return (
    <Card title={t('Days')} aside={aside}>
      <div className="mb-2 flex items-center justify-between gap-2">
        <Button
          size="sm"
          disabled={month <= first}
          onClick={() => setMonth(monthAfter(month, -1))}
          aria-label={t('Month before')}
        >
          <span aria-hidden>‹</span>
        </Button>
        <p aria-live="polite" className="text-sm font-medium">
          {monthName(month)}
        </p>
        <Button
          size="sm"
          disabled={month >= last}
          onClick={() => setMonth(monthAfter(month, 1))}
          aria-label={t('Month after')}
        >
          <span aria-hidden>›</span>
        </Button>
      </div>
      <table className="w-full table-fixed border-separate border-spacing-0.5 text-center text-sm">
        <caption className="sr-only">{t('Snapshots of {month}', { month: monthName(month) })}</caption>
        <thead>
          <tr>
            {weekdays().map(({ short, long }) => (
              <th key={long} scope="col" abbr={long} className="pb-1 text-xs font-medium text-muted">
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month).map((week) => (
            <tr key={week.find((day) => day !== null)}>
              {week.map((day, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the place in the week is what a cell is.
                <td key={place} className="p-0">
                  {day && <DayButton day={day} state={states.get(day)} isChosen={day === chosen} onChoose={onChoose} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Legend />
    </Card>
  )
}

const inRange = (month: string, first: string, last: string): boolean => month >= first && month <= last

/** Distinguished by sign as well as colour. */
const looks: Readonly<Record<DayState, { sign: string; look: string }>> = {
  kept: { sign: '•', look: 'bg-good-soft text-good' },
  partial: { sign: '!', look: 'bg-warn-soft text-warn' },
  some: { sign: '½', look: 'bg-warn-soft text-warn' },
  pending: { sign: '…', look: 'bg-accent-soft text-accent-strong' },
  gap: { sign: '×', look: 'bg-bad-soft text-bad' },
  none: { sign: '', look: 'bg-sunken text-muted' },
}

const NAMED: readonly DayState[] = ['kept', 'partial', 'some', 'pending', 'gap', 'none']

function stateName(state: DayState): string {
  if (state === 'kept') return t('taken')
  if (state === 'partial') return t('taken, with parts missing')
  if (state === 'some') return t('only for some wallets')
  if (state === 'pending') return t('not taken yet')
  return state === 'gap' ? t('missing') : t('not subscribed')
}

type DayButtonProps = { day: string; state: DayState | undefined; isChosen: boolean; onChoose: (day: string) => void }

/** A day outside the requested range has no state and cannot be chosen. */
function DayButton({ day, state, isChosen, onChoose }: DayButtonProps) {
  const number = day.slice(-2).replace(/^0/, '')
  if (!state) return <span className="grid h-10 place-items-center text-muted">{number}</span>
  const { sign, look } = looks[state]
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => onChoose(day)}
      className={`grid h-10 w-full content-center rounded leading-tight ${look} ${isChosen ? 'outline-2 outline-accent' : ''}`}
    >
      <span className="sr-only">{`${formatDay(day)}: ${stateName(state)}`}</span>
      <span aria-hidden>{number}</span>
      <span aria-hidden className="text-[0.7rem] leading-none">
        {sign || '\u00a0'}
      </span>
    </button>
  )
}

const Legend = () => (
  <ul className="mt-3 flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
    {NAMED.map((state) => (
      <li key={state} className="inline-flex items-center gap-1">
        <span aria-hidden className={`grid size-4 place-items-center rounded text-[0.65rem] ${looks[state].look}`}>
          {looks[state].sign}
        </span>
        {stateName(state)}
      </li>
    ))}
  </ul>
)

const monthName = (month: string): string =>
  new Intl.DateTimeFormat(i18n.locale || 'en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  )

/** A week that starts on Monday. */
const WEEK = ['01', '02', '03', '04', '05', '06', '07'].map((day) => new Date(`2024-01-${day}T00:00:00Z`))

function weekdays(): { short: string; long: string }[] {
  const name = (weekday: 'short' | 'long') => new Intl.DateTimeFormat(i18n.locale || 'en', { weekday, timeZone: 'UTC' })
  const [short, long] = [name('short'), name('long')]
  return WEEK.map((day) => ({ short: short.format(day), long: long.format(day) }))
}
