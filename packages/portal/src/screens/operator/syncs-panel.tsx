import { useMemo } from 'react'
import { Address } from '../../components/address.tsx'
import { Badge } from '../../components/badge.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { OlderButton } from '../../components/older-button.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { type Sync, useOperatorPages } from './queries.ts'

export function SyncsPanel() {
  const syncs = useOperatorPages('/operator/syncs')
  return (
    <QueryView query={syncs}>
      {({ pages }) => {
        const list = pages.flatMap((page) => page.syncs)
        if (list.length === 0) {
          return (
            <EmptyState title={t('No failing syncs')}>
              {t('Failed and paused syncs appear here, and wallets that the service fails to follow.')}
            </EmptyState>
          )
        }
        return (
          <>
            <SyncTable syncs={list} />
            <OlderButton pages={syncs} label={t('Show more')} />
          </>
        )
      }}
    </QueryView>
  )
}

function SyncTable({ syncs }: { syncs: readonly Sync[] }) {
  const columns = useMemo(columnsOf, [])
  return (
    <DataTable
      name={t('Failing syncs')}
      rows={syncs}
      columns={columns}
      rowKey={({ account, wallet }) => `${account} ${wallet}`}
    />
  )
}

const columnsOf = (): Column<Sync>[] => [
  { id: 'wallet', header: t('Wallet'), cell: ({ wallet }) => <Address address={wallet} /> },
  { id: 'account', header: t('Account'), value: ({ account }) => account, cell: ({ account }) => account },
  {
    id: 'state',
    header: t('State'),
    value: ({ state }) => state,
    cell: ({ state }) => <Badge tone={state === 'failed' ? 'bad' : 'warn'}>{state}</Badge>,
  },
  {
    id: 'reason',
    header: t('Reason'),
    cell: ({ reason }) => <span className="block max-w-96 whitespace-normal">{reason ?? '–'}</span>,
  },
  { id: 'asked', header: t('Requested'), cell: ({ requestedAt }) => <Moment relative at={requestedAt} /> },
  { id: 'aside', header: t('Set aside'), cell: ({ setAside }) => <SetAside steps={setAside} /> },
]

function SetAside({ steps }: { steps: Sync['setAside'] }) {
  if (steps.length === 0) return <span className="text-muted">–</span>
  return (
    <ul className="grid max-w-96 gap-1 text-[0.8125rem] whitespace-normal">
      {steps.map(({ chain, step, reason, failures, retryAt }) => (
        <li key={`${chain} ${step}`}>
          <span className="font-medium">{chain}</span> {step}: {reason}{' '}
          <span className="text-muted">
            {t('{n, plural, one {failed once} other {failed # times}}, next', { n: failures })}{' '}
            <Moment relative at={retryAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}
