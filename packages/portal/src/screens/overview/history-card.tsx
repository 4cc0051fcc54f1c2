import { ApiProblem } from '../../api/problem.ts'
import { useSeries } from '../../api/series.ts'
import { Card } from '../../components/card.tsx'
import { LineChart } from '../../components/line-chart.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { walletsOf } from '../../lib/addresses.ts'
import { t } from '../../lib/i18n.ts'
import { formatMoney, isKnown } from '../../lib/money.ts'
import { hasSnapshots } from './changes.ts'

export const CHART_DAYS = 90

/** From snapshots; missing days stay gaps. */
export function HistoryCard({ addresses }: { addresses: readonly string[] }) {
  return (
    <Card title={t('Net worth by day')}>
      <History addresses={addresses} />
    </Card>
  )
}

function History({ addresses }: { addresses: readonly string[] }) {
  const series = useSeries(addresses, CHART_DAYS)
  if (walletsOf(addresses).length === 0) return <NoSnapshots />
  if (series.error && !isAbsent(series.error)) {
    return <ErrorState error={series.error} onRetry={() => void series.refetch()} />
  }
  if (series.isPending && !series.error) return <Skeleton lines={6} />
  if (!series.data || !hasSnapshots(series.data)) return <NoSnapshots />
  const { days } = series.data
  return (
    <LineChart
      name={t('Net worth in USD by day')}
      moments={days.map(({ date }) => new Date(`${date}T00:00:00Z`))}
      series={[{ label: t('Net worth'), values: days.map(({ netWorth }) => (isKnown(netWorth) ? netWorth : null)) }]}
      format={formatMoney}
    />
  )
}

const isAbsent = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404

function NoSnapshots() {
  return (
    <p className="text-sm text-muted">
      {t('No snapshots yet. A snapshot subscription records the net worth of each day.')}
    </p>
  )
}
