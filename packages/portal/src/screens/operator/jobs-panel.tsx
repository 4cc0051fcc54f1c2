import { useMemo } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import { type Queue, useOperator } from './queries.ts'

export function JobsPanel() {
  const queues = useOperator('/operator/jobs')
  return (
    <QueryView query={queues}>
      {(list) =>
        list.length === 0 ? (
          <EmptyState title={t('No job queues yet')} />
        ) : (
          <>
            <QueueTable queues={list} />
            <p className="text-xs text-muted">{t('Counted up to 1,000.')}</p>
          </>
        )
      }
    </QueryView>
  )
}

function QueueTable({ queues }: { queues: readonly Queue[] }) {
  const columns = useMemo(columnsOf, [])
  return (
    <DataTable
      name={t('Jobs')}
      rows={queues}
      columns={columns}
      rowKey={({ name }) => name}
      sortBy={{ id: 'name', desc: false }}
    />
  )
}

const columnsOf = (): Column<Queue>[] => [
  {
    id: 'name',
    header: t('Queue'),
    value: ({ name }) => name,
    cell: ({ name }) => <code className="font-mono text-[0.8125rem]">{name}</code>,
  },
  counted('waiting', t('Waiting'), ({ waiting }) => waiting),
  counted('retrying', t('Waiting for a retry'), ({ retrying }) => retrying),
  counted('running', t('Running'), ({ running }) => running),
  counted('failed', t('Failed in the last day'), ({ failed }) => failed, true),
  counted('done', t('Done in the last day'), ({ done }) => done),
  { id: 'oldest', header: t('Oldest due'), cell: ({ oldestDueAt }) => <At at={oldestDueAt} /> },
  { id: 'lastFailed', header: t('Last failure'), cell: ({ lastFailedAt }) => <At at={lastFailedAt} /> },
]

const counted = (id: string, header: string, count: (queue: Queue) => number, isBad = false): Column<Queue> => ({
  id,
  header,
  end: true,
  sort: 'decimal' as const,
  value: (queue) => String(count(queue)),
  cell: (queue) => (
    <span className={`tabular-nums ${isBad && count(queue) > 0 ? 'text-bad' : ''}`}>{formatCount(count(queue))}</span>
  ),
})

function At({ at }: { at: string | null }) {
  return at === null ? <span className="text-muted">–</span> : <Moment relative at={at} />
}
