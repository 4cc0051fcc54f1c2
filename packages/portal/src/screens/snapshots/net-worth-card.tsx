import { useMemo, useState } from 'react'
import type { SeriesDay } from '../../api/series.ts'
import { Card } from '../../components/card.tsx'
import { LineChart } from '../../components/line-chart.tsx'
import { RangeSelect } from '../../components/range-select.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { formatMoney, isKnown } from '../../lib/money.ts'
import { formatDay } from '../../lib/time.ts'
import { dayOf } from './days.ts'

const RANGES = [30, 90, 366]

/** An unknown day interrupts the line. */
export function NetWorthCard({ series: all }: { series: readonly SeriesDay[] }) {
  const [days, setDays] = useState(30)
  const shown = useMemo(() => all.slice(-days), [all, days])
  const moments = useMemo(() => shown.map(({ date }) => new Date(`${date}T00:00:00Z`)), [shown])
  const series = useMemo(
    () => [{ label: t('Net worth'), values: shown.map(({ netWorth }) => (isKnown(netWorth) ? netWorth : null)) }],
    [shown],
  )
  return (
    <Card title={t('Net worth in USD')} aside={<RangeSelect ranges={RANGES} days={days} onChoose={setDays} />}>
      {shown.some(({ netWorth }) => isKnown(netWorth)) ? (
        <LineChart
          name={t('Net worth in USD')}
          moments={moments}
          series={series}
          format={formatMoney}
          formatAt={formatUtcDay}
        />
      ) : (
        <EmptyState title={t('No data for these days')}>
          {t('A day appears once every wallet has a snapshot of it.')}
        </EmptyState>
      )}
    </Card>
  )
}

const formatUtcDay = (moment: Date): string => formatDay(dayOf(moment))
