import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { accountPages } from '../../api/pages.ts'
import { useAccount } from '../../api/queries.ts'
import type { LedgerView } from '../../api/types.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { OlderButton } from '../../components/older-button.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import { TakenCard } from './taken-card.tsx'

type LedgerLine = LedgerView['lines'][number]

/** Credits given and taken, newest first, and the endpoints that took them. */
export function LedgerPanel() {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <TakenCard />
      <Lines />
    </div>
  )
}

function Lines() {
  const pages = useInfiniteQuery(accountPages<LedgerView>(useAccount().id, '/ledger', ({ next }) => next))
  return (
    <QueryView query={pages} lines={8}>
      {({ pages: read }) => {
        const lines = read.flatMap((page) => page.lines)
        if (lines.length === 0) {
          return <EmptyState title={t('No entries yet')}>{t('The account has never received credits.')}</EmptyState>
        }
        return (
          <>
            <LedgerTable lines={lines} />
            <OlderButton pages={pages} />
          </>
        )
      }}
    </QueryView>
  )
}

function LedgerTable({ lines }: { lines: readonly LedgerLine[] }) {
  const columns = useMemo(columnsOf, [])
  return <DataTable name={t('Ledger')} rows={lines} columns={columns} rowKey={({ id }) => id} />
}

const columnsOf = (): Column<LedgerLine>[] => [
  { id: 'what', header: t('What'), cell: (line) => whatWas(line) },
  { id: 'at', header: t('When'), cell: ({ at }) => <Moment at={at} /> },
  { id: 'change', header: t('Credits'), end: true, cell: ({ change }) => <ChangeOf change={change} /> },
  {
    id: 'balance',
    header: t('Available afterwards'),
    end: true,
    cell: ({ balance }) => <span className="tabular-nums">{formatCount(balance)}</span>,
  },
  {
    id: 'reference',
    header: t('Reference'),
    cell: ({ reference }) => reference && <code className="font-mono text-[0.8125rem]">{reference}</code>,
  },
]

function ChangeOf({ change }: { change: number }) {
  if (change === 0) return <span className="text-muted">–</span>
  return (
    <span className={`tabular-nums ${change > 0 ? 'text-good' : ''}`}>
      {change > 0 ? '+' : ''}
      {formatCount(change)}
    </span>
  )
}

/** Returns the beginning of a sentence. */
function whatWas({ kind, purpose }: LedgerLine): string {
  const what = purposeName(purpose)
  if (kind === 'grant' || purpose === 'closing') return what
  if (kind === 'hold') return t('Reserved: {what}', { what })
  if (kind === 'void' || kind === 'refund') return t('Returned: {what}', { what })
  if (kind === 'adjust_up' || kind === 'adjust_down') return t('Corrected: {what}', { what })
  return kind === 'post' ? t('Charged from a reservation: {what}', { what }) : what
}

function purposeName(purpose: LedgerLine['purpose']): string {
  if (purpose === 'grant') return t('Credits from the operator')
  if (purpose === 'request') return t('Call')
  if (purpose === 'change') return t('Data change')
  if (purpose === 'sync') return t('Transactions of a sync')
  if (purpose === 'snapshots') return t('Snapshot subscription')
  return purpose === 'closing' ? t('Total of a closed day') : t('Other')
}
