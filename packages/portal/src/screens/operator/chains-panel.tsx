import { useMemo } from 'react'
import { Badge } from '../../components/badge.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import { type Chain, useOperator } from './queries.ts'

type NodeLine = Chain['endpoints'][number] & Pick<Chain, 'name' | 'headAgeSeconds'>

/** One line per node; a chain without nodes has a line that says so. */
export function ChainsPanel() {
  const chains = useOperator('/operator/chains')
  return (
    <QueryView query={chains}>
      {(list) =>
        list.length === 0 ? (
          <EmptyState title={t('No chain is enabled')}>
            {t('Add a node to the configuration to enable its chain.')}
          </EmptyState>
        ) : (
          <>
            <NodeTable chains={list} />
            <p className="text-xs text-muted">{t('Counts since this process started.')}</p>
          </>
        )
      }
    </QueryView>
  )
}

function NodeTable({ chains }: { chains: readonly Chain[] }) {
  const columns = useMemo(columnsOf, [])
  const lines = useMemo(
    () =>
      chains.flatMap(({ name, headAgeSeconds, endpoints }) =>
        endpoints.map((node) => ({ ...node, name, headAgeSeconds })),
      ),
    [chains],
  )
  return <DataTable name={t('Chains and nodes')} rows={lines} columns={columns} rowKey={({ endpoint }) => endpoint} />
}

const columnsOf = (): Column<NodeLine>[] => [
  {
    id: 'chain',
    header: t('Chain'),
    value: ({ name }) => name,
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'node',
    header: t('Node'),
    cell: ({ endpoint, host }) => (
      <span>
        {host} <span className="text-xs text-muted">{endpoint}</span>
      </span>
    ),
  },
  { id: 'state', header: t('State'), cell: (node) => <NodeState node={node} /> },
  {
    id: 'age',
    header: t('Newest block'),
    end: true,
    cell: ({ headAgeSeconds }) =>
      headAgeSeconds === null ? (
        <span className="text-muted" title={t('Not read yet.')}>
          N/A
        </span>
      ) : (
        t('{n} s old', { n: formatCount(headAgeSeconds) })
      ),
  },
  {
    id: 'latency',
    header: t('Latency'),
    end: true,
    sort: 'decimal',
    value: ({ latencyMs }) => (latencyMs === null ? 'N/A' : String(latencyMs)),
    cell: ({ latencyMs }) =>
      latencyMs === null ? (
        <span className="text-muted" title={t('No answer yet.')}>
          N/A
        </span>
      ) : (
        t('{n} ms', { n: formatCount(latencyMs) })
      ),
  },
  {
    id: 'requests',
    header: t('Requests'),
    end: true,
    sort: 'decimal',
    value: ({ requests }) => String(requests),
    cell: ({ requests }) => formatCount(requests),
  },
  {
    id: 'failures',
    header: t('Failures'),
    end: true,
    sort: 'decimal',
    value: ({ failures }) => String(failures),
    cell: ({ failures }) => <span className={failures > 0 ? 'text-bad' : ''}>{formatCount(failures)}</span>,
  },
  { id: 'last', header: t('Last failure'), cell: ({ lastFailure }) => <LastFailure lastFailure={lastFailure} /> },
]

/** Failures in a row that are no accident; with fewer requests, all of them. */
const FAILING_FROM = 3

function NodeState({ node: { problem, requests, failuresInARow } }: { node: NodeLine }) {
  if (problem === null) {
    const isFailing = failuresInARow > 0 && (failuresInARow >= FAILING_FROM || failuresInARow === requests)
    if (isFailing) return <Badge tone="bad">{t('failing')}</Badge>
    return requests === 0 ? <Badge>{t('no requests yet')}</Badge> : <Badge tone="good">{t('in use')}</Badge>
  }
  return (
    <span className="inline-flex max-w-72 items-center gap-2 whitespace-normal">
      <Badge tone="bad">{t('unused')}</Badge> {problem}
    </span>
  )
}

function LastFailure({ lastFailure }: Pick<NodeLine, 'lastFailure'>) {
  if (lastFailure === null) return t('none')
  return (
    <span>
      {lastFailure.reason} <Moment relative at={lastFailure.at} />
    </span>
  )
}
