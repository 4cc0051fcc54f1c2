import { useMemo, useState } from 'react'
import type { Scope } from '../../api/scope.ts'
import { isWhole, useWorth, type WorthPoint } from '../../api/series.ts'
import { Card } from '../../components/card.tsx'
import { LineChart } from '../../components/line-chart.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RangeSelect } from '../../components/range-select.tsx'
import { walletsOf } from '../../lib/addresses.ts'
import { t } from '../../lib/i18n.ts'
import { formatMoney, isKnown } from '../../lib/money.ts'
import { CHANGE_DAYS } from './changes.ts'

const RANGES = [CHANGE_DAYS, 91, 366]

/** At 00:00 UTC, from past blocks. Days without a value interrupt the line. */
export function HistoryCard({ scope }: { scope: Scope }) {
  const [days, setDays] = useState(CHANGE_DAYS)
  const worth = useWorth(scope, days)
  return (
    <Card title={t('Net worth by day')} aside={<RangeSelect ranges={RANGES} days={days} onChoose={setDays} />}>
      {worth.isEnabled ? (
        <QueryView query={worth} lines={6}>
          {({ points }) => <History points={points} />}
        </QueryView>
      ) : (
        <p className="text-sm text-muted">
          {walletsOf(scope.addresses).length === 0
            ? t('Virtual users have no past blocks.')
            : t('Save the addresses to see their net worth over time.')}
        </p>
      )}
    </Card>
  )
}

function History({ points }: { points: readonly WorthPoint[] }) {
  const moments = useMemo(() => points.map(({ time }) => new Date(time)), [points])
  const series = useMemo(
    () => [{ label: t('Net worth'), values: points.map(({ networth }) => (isKnown(networth) ? networth : null)) }],
    [points],
  )
  const isPartial = points.some((point) => !point.computing && !isWhole(point))
  return (
    <>
      {points.some(({ computing }) => computing) && (
        <p role="status" className="text-sm text-muted">
          {t('Days are still being computed.')}
        </p>
      )}
      {isPartial && (
        <p className="text-sm text-warn">
          {t('Some days lack a chain whose state could not be read. Archive endpoints or snapshots provide it.')}
        </p>
      )}
      <LineChart name={t('Net worth in USD by day')} moments={moments} series={series} format={formatMoney} />
    </>
  )
}
