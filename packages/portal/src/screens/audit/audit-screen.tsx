import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { accountPages } from '../../api/pages.ts'
import { useAccount } from '../../api/queries.ts'
import type { AuditLine } from '../../api/types.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { OlderButton } from '../../components/older-button.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { detailPairs } from '../../lib/details.ts'
import { t } from '../../lib/i18n.ts'

/** The service's default page size. */
const PAGE = 50

const olderThan = (page: readonly AuditLine[]): string | null => (page.length < PAGE ? null : (page.at(-1)?.id ?? null))

export function Screen() {
  const account = useAccount()
  const pages = useInfiniteQuery(accountPages<AuditLine[]>(account.id, '/audit', olderThan))
  return (
    <Page
      title={t('Audit log')}
      lead={t('Actions in {account}. Entries cannot be changed.', { account: account.name })}
    >
      <QueryView query={pages} lines={8}>
        {({ pages: read }) => {
          const lines = read.flat()
          if (lines.length === 0) {
            return (
              <EmptyState title={t('No actions yet')}>
                {t('Changes to keys, members and data are recorded here.')}
              </EmptyState>
            )
          }
          return (
            <>
              <AuditTable lines={lines} />
              <OlderButton pages={pages} />
            </>
          )
        }}
      </QueryView>
    </Page>
  )
}

function AuditTable({ lines }: { lines: readonly AuditLine[] }) {
  const columns = useMemo(columnsOf, [])
  return <DataTable name={t('Audit log')} rows={lines} columns={columns} rowKey={({ id }) => id} />
}

const columnsOf = (): Column<AuditLine>[] => [
  { id: 'what', header: t('What'), cell: ({ action }) => <span className="font-medium">{action}</span> },
  { id: 'who', header: t('Who'), cell: ({ user }) => user },
  { id: 'at', header: t('When'), cell: ({ at }) => <Moment at={at} /> },
  { id: 'detail', header: t('Details'), cell: ({ detail }) => <Detail detail={detail} /> },
  {
    id: 'from',
    header: t('From'),
    cell: ({ address }) => <code className="font-mono text-[0.8125rem]">{address}</code>,
  },
]

function Detail({ detail }: { detail: AuditLine['detail'] }) {
  return (
    <dl className="grid min-w-40 grid-cols-[auto_1fr] gap-x-2 text-[0.8125rem] whitespace-normal">
      {detailPairs(detail).map(([name, text]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-muted">{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
