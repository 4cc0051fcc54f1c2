import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { accountQuery, useAccount } from '../../api/queries.ts'
import type { KeyView, UsageView } from '../../api/types.ts'
import { Field } from '../../components/field.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Select } from '../../components/select.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { sumUsage } from '../../lib/usage.ts'
import { DaysCard } from './days-card.tsx'
import { RefusedCard } from './refused-card.tsx'
import { SumTable } from './sum-table.tsx'

const SPANS = ['7', '30', '90', '365'] as const
type Span = (typeof SPANS)[number]
const dayCounts: Readonly<Record<Span, number>> = { '7': 7, '30': 30, '90': 90, '365': 365 }

export function CallsPanel() {
  const account = useAccount()
  const [{ days, key = '' }, put] = useSearchState<'days' | 'key'>()
  const span = SPANS.find((one) => one === days) ?? '30'
  const usage = useQuery(accountQuery<UsageView>(account.id, '/usage', { days: span }))
  const keys = useQuery(accountQuery<KeyView[]>(account.id, '/keys'))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap gap-3">
        <Field label={t('Period')}>
          {(control) => (
            <Select
              {...control}
              value={span}
              choices={SPANS.map((value) => ({ value, label: t('{n} days', { n: dayCounts[value] }) }))}
              onChoose={(value) => put({ days: value })}
            />
          )}
        </Field>
        <Field label={t('Key')}>
          {(control) => (
            <Select
              {...control}
              value={key}
              choices={[
                { value: '', label: t('All keys') },
                ...(keys.data ?? []).map(({ id, name, key: text }) => ({ value: id, label: `${name} · ${text}` })),
              ]}
              onChoose={(value) => put({ key: value })}
            />
          )}
        </Field>
      </div>
      <QueryView query={usage} lines={8}>
        {(view) => <Calls usage={view} keys={keys.data ?? []} chosenKey={key} />}
      </QueryView>
    </div>
  )
}

function Calls({ usage, keys, chosenKey }: { usage: UsageView; keys: readonly KeyView[]; chosenKey: string }) {
  const lines = useMemo(
    () => usage.lines.filter(({ keyId }) => chosenKey === '' || keyId === chosenKey),
    [usage, chosenKey],
  )
  const keyName = useMemo(() => {
    const names = new Map(keys.map(({ id, name, key }) => [id, `${name} · ${key}`]))
    return (id: string) => names.get(id) ?? t('key {id}', { id })
  }, [keys])
  if (lines.length === 0) {
    return (
      <EmptyState title={t('No calls in this period')}>
        {t('Calls with a key appear here a few seconds after they end.')}
      </EmptyState>
    )
  }
  return (
    <>
      <DaysCard usage={{ ...usage, lines }} />
      <RefusedCard lines={lines} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[repeat(2,minmax(0,1fr))]">
        <SumTable name={t('By endpoint')} first={t('Endpoint')} sums={sumUsage(lines, (line) => line.endpoint)} />
        <SumTable name={t('By key')} first={t('Key')} sums={sumUsage(lines, (line) => line.keyId)} nameOf={keyName} />
      </div>
    </>
  )
}
