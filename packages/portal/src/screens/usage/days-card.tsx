import { useState } from 'react'
import type { UsageView } from '../../api/types.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { OutcomeLegend, UsageBars } from '../../components/usage-bars.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import { formatDay } from '../../lib/time.ts'
import { OUTCOMES, usageByDay } from '../../lib/usage.ts'
import { SumTable } from './sum-table.tsx'

/** UTC days. */
export function DaysCard({ usage }: { usage: UsageView }) {
  const [asTable, setAsTable] = useState(false)
  const days = usageByDay(usage)
  const most = Math.max(...days.map(({ requests }) => requests))
  const seen = OUTCOMES.filter((outcome) => days.some((day) => day.byOutcome[outcome] > 0))
  return (
    <Card
      title={t('Calls by day')}
      aside={
        <Button size="sm" look="ghost" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {t('As a table')}
        </Button>
      }
    >
      {asTable ? (
        <SumTable name={t('Calls by day')} first={t('Day')} sums={days} nameOf={formatDay} byName />
      ) : (
        <div className="grid gap-2">
          <p className="text-xs text-muted">{t('At most {n} per day', { n: formatCount(most) })}</p>
          <UsageBars name={t('Calls by day')} days={days} />
          <p className="flex justify-between text-xs text-muted">
            <span>{formatDay(usage.from)}</span>
            <span>{formatDay(usage.to)}</span>
          </p>
          <OutcomeLegend outcomes={seen} />
        </div>
      )}
    </Card>
  )
}
