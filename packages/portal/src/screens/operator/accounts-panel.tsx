import { useDeferredValue, useMemo, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { Input } from '../../components/input.tsx'
import { Menu } from '../../components/menu.tsx'
import { OlderButton } from '../../components/older-button.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import { ChangeDialog } from './change-dialog.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { GrantDialog } from './grant-dialog.tsx'
import { type Account, useOperatorPages } from './queries.ts'

type Open = { kind: 'create' } | { kind: 'change' | 'grant'; account: Account } | null

export function AccountsPanel() {
  const [name, setName] = useState('')
  const accounts = useOperatorPages('/operator/accounts', useDeferredValue(name.trim()))
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const create = (
    <Button look="primary" onClick={() => setOpen({ kind: 'create' })}>
      {t('Create an account')}
    </Button>
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="w-56">
          <Input
            type="search"
            aria-label={t('Name begins with')}
            placeholder={t('Name begins with')}
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        {create}
      </div>
      <QueryView query={accounts}>
        {({ pages }) => {
          const list = pages.flatMap((page) => page.accounts)
          if (list.length > 0) {
            return (
              <>
                <AccountTable accounts={list} onOpen={setOpen} />
                <OlderButton pages={accounts} label={t('Show more')} />
              </>
            )
          }
          return name.trim() === '' ? (
            <EmptyState title={t('No accounts yet')} action={create} />
          ) : (
            <p className="text-sm text-muted">{t('No account matches.')}</p>
          )
        }}
      </QueryView>
      {open?.kind === 'create' && <CreateDialog onClose={close} />}
      {open?.kind === 'change' && <ChangeDialog account={open.account} onClose={close} />}
      {open?.kind === 'grant' && <GrantDialog account={open.account} onClose={close} />}
    </div>
  )
}

function AccountTable({ accounts, onOpen }: { accounts: readonly Account[]; onOpen: (open: Open) => void }) {
  const columns = useMemo(() => columnsOf(onOpen), [onOpen])
  return (
    <DataTable
      name={t('Accounts')}
      rows={accounts}
      columns={columns}
      rowKey={({ id }) => id}
      sortBy={{ id: 'name', desc: false }}
    />
  )
}

const columnsOf = (onOpen: (open: Open) => void): Column<Account>[] => [
  {
    id: 'name',
    header: t('Name'),
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <span>
        <span className="font-medium">{name}</span> <span className="text-xs text-muted">{id}</span>
      </span>
    ),
  },
  { id: 'plan', header: t('Plan'), value: ({ plan }) => plan, cell: ({ plan }) => <Badge>{plan}</Badge> },
  { id: 'entitlements', header: t('May use'), cell: ({ entitlements }) => entitlements.join(', ') || '–' },
  {
    id: 'credits',
    header: t('Credits'),
    end: true,
    sort: 'decimal',
    value: ({ credits }) => String(credits),
    cell: ({ credits }) => <span className="tabular-nums">{formatCount(credits)}</span>,
  },
  { id: 'method', header: t('Cost method'), cell: ({ costMethod }) => costMethod },
  { id: 'limits', header: t('Custom limits'), cell: (account) => <OwnLimits {...account} /> },
  {
    id: 'created',
    header: t('Created'),
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  {
    id: 'actions',
    header: t('Actions'),
    end: true,
    cell: (account) => (
      <Menu
        name={t('Actions for {name}', { name: account.name })}
        actions={[
          { label: t('Give credits'), onSelect: () => onOpen({ kind: 'grant', account }) },
          { label: t('Change plan and limits'), onSelect: () => onOpen({ kind: 'change', account }) },
        ]}
      />
    ),
  },
]

function OwnLimits({ quotas, rateLimits }: Account) {
  const own = Object.entries({ ...quotas, ...rateLimits }).flatMap(([name, limit]) =>
    limit === null ? [] : [`${name} ${formatCount(limit)}`],
  )
  if (own.length === 0) return <span className="text-muted">{t('none')}</span>
  return <span className="block max-w-56 text-[0.8125rem] whitespace-normal">{own.join(', ')}</span>
}
