import { useQuery } from '@tanstack/react-query'
import { accountQuery, useAccount } from '../../api/queries.ts'
import type { UsageView } from '../../api/types.ts'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { t } from '../../lib/i18n.ts'
import { formatDay } from '../../lib/time.ts'
import { sumUsage } from '../../lib/usage.ts'
import { SumTable } from './sum-table.tsx'

/** Credits by endpoint and day. Calls are charged together, so no line of the ledger names its endpoint. */
export function TakenCard() {
  const usage = useQuery(accountQuery<UsageView>(useAccount().id, '/usage', { days: '30' }))
  return (
    <Card title={t('Credits spent on calls in the last 30 days')}>
      <QueryView query={usage} lines={3}>
        {({ lines }) => {
          const paid = lines.filter(({ credits }) => credits > 0)
          if (paid.length === 0) return <p className="text-sm text-muted">{t('No call with a key cost credits.')}</p>
          return (
            <>
              <p className="max-w-prose text-sm text-muted">
                {t('One ledger entry covers many calls. This table counts them by day (UTC) and endpoint.')}
              </p>
              <SumTable
                name={t('Credits spent on calls in the last 30 days')}
                first={t('Day and endpoint')}
                sums={sumUsage(paid, ({ day, endpoint }) => `${day} ${endpoint}`)}
                nameOf={nameOf}
                byName
              />
            </>
          )
        }}
      </QueryView>
    </Card>
  )
}

function nameOf(key: string): string {
  const [day = '', endpoint] = key.split(' ')
  return `${formatDay(day)} · ${endpoint}`
}
