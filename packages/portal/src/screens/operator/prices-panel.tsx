import { useMemo } from 'react'
import { Badge } from '../../components/badge.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { t } from '../../lib/i18n.ts'
import { type PriceSource, useOperator } from './queries.ts'

export function PricesPanel() {
  const sources = useOperator('/operator/price-sources')
  return <QueryView query={sources}>{(list) => <SourceTable sources={list} />}</QueryView>
}

/** Sources in use come first, in the order of use. */
const inOrder = (sources: readonly PriceSource[]): PriceSource[] =>
  sources.toSorted((a, b) => (a.place ?? sources.length + 1) - (b.place ?? sources.length + 1))

function SourceTable({ sources }: { sources: readonly PriceSource[] }) {
  const columns = useMemo(columnsOf, [])
  const rows = useMemo(() => inOrder(sources), [sources])
  return <DataTable name={t('Price sources')} rows={rows} columns={columns} rowKey={({ name }) => name} />
}

const columnsOf = (): Column<PriceSource>[] => [
  { id: 'name', header: t('Source'), cell: ({ name }) => <span className="font-medium">{name}</span> },
  {
    id: 'place',
    header: t('Order'),
    cell: ({ place }) =>
      place === null ? <Badge>{t('unused')}</Badge> : <Badge tone="good">{t('number {place}', { place })}</Badge>,
  },
  {
    id: 'from',
    header: t('Reads from'),
    cell: ({ leavesNode }) => (leavesNode ? t('an external service') : t('the nodes only')),
  },
  {
    id: 'settings',
    header: t('Settings'),
    cell: ({ settings }) =>
      settings.length === 0 ? (
        <span className="text-muted">{t('none')}</span>
      ) : (
        <ul className="grid gap-1">
          {settings.map(({ variable, isSet }) => (
            <li key={variable} className="flex items-center gap-2">
              <code className="font-mono text-[0.8125rem]">{variable}</code>
              <Badge tone={isSet ? 'good' : 'neutral'}>{isSet ? t('set') : t('not set')}</Badge>
            </li>
          ))}
        </ul>
      ),
  },
]
