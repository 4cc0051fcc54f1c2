import { useMemo, useState } from 'react'
import { useMay } from '../../api/queries.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { Menu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { UserDetails } from './user-details.tsx'
import { CreateUserDialog, RemoveUserDialog, RenameUserDialog } from './user-dialogs.tsx'
import { useVirtualUsers, type VirtualUser } from './users.ts'

type Open = { kind: 'create' } | { kind: 'rename' | 'remove'; user: VirtualUser } | null

export function Screen() {
  const isOwner = useMay('owner')
  const [{ user: chosen }, put] = useSearchState<'user'>()
  const [open, setOpen] = useState<Open>(null)
  const users = useVirtualUsers()
  const create = (
    <Button look="primary" onClick={() => setOpen({ kind: 'create' })}>
      {t('Create a virtual user')}
    </Button>
  )
  return (
    <Page
      title={t('Virtual users')}
      lead={t('Assets held off-chain: manual balances and exchange accounts.')}
      actions={isOwner && create}
    >
      <QueryView query={users}>
        {(list) => (
          <>
            {list.length === 0 ? (
              <EmptyState title={t('No virtual users yet')} action={isOwner && create}>
                {t('Track assets held off-chain: exchange accounts or manual balances.')}
              </EmptyState>
            ) : (
              <UserTable users={list} isOwner={isOwner} onOpen={setOpen} onShow={({ id }) => put({ user: id })} />
            )}
            {list
              .filter(({ id }) => id === chosen)
              .map((user) => (
                <UserDetails key={user.id} user={user} isOwner={isOwner} />
              ))}
          </>
        )}
      </QueryView>
      {open?.kind === 'create' && (
        <CreateUserDialog onCreated={({ id }) => put({ user: id })} onClose={() => setOpen(null)} />
      )}
      {open?.kind === 'rename' && <RenameUserDialog user={open.user} onClose={() => setOpen(null)} />}
      {open?.kind === 'remove' && <RemoveUserDialog user={open.user} onClose={() => setOpen(null)} />}
    </Page>
  )
}

type UserTableProps = {
  users: readonly VirtualUser[]
  isOwner: boolean
  onOpen: (open: Open) => void
  onShow: (user: VirtualUser) => void
}

function UserTable({ users, isOwner, onOpen, onShow }: UserTableProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each rendering creates a new `onShow`, which does the same.
  const columns = useMemo(() => columnsOf(isOwner, onOpen, onShow), [isOwner, onOpen])
  return <DataTable name={t('Virtual users')} rows={users} columns={columns} rowKey={({ id }) => id} />
}

const columnsOf = (
  isOwner: boolean,
  onOpen: UserTableProps['onOpen'],
  onShow: UserTableProps['onShow'],
): Column<VirtualUser>[] => [
  {
    id: 'label',
    header: t('Label'),
    value: ({ label }) => label,
    cell: (user) => (
      <Button size="sm" look="ghost" className="-mx-2 max-w-64" onClick={() => onShow(user)}>
        <span className="truncate">{user.label}</span>
      </Button>
    ),
  },
  { id: 'kind', header: t('Kind'), value: ({ type }) => type, cell: ({ type }) => kindText(type) },
  { id: 'exchange', header: t('Exchange'), cell: (user) => <Link user={user} /> },
  {
    id: 'created',
    header: t('Created'),
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  ...(isOwner
    ? [
        {
          id: 'actions',
          header: t('Actions'),
          end: true,
          cell: (user: VirtualUser) => (
            <Menu
              name={t('Actions for {name}', { name: user.label })}
              actions={[
                { label: t('Rename'), onSelect: () => onOpen({ kind: 'rename', user }) },
                { label: t('Remove'), danger: true, onSelect: () => onOpen({ kind: 'remove', user }) },
              ]}
            />
          ),
        },
      ]
    : []),
]

const kindText = (type: VirtualUser['type']): string => (type === 'CEX' ? t('Exchange account') : t('Manual balances'))

function Link({ user: { type, exchange } }: { user: VirtualUser }) {
  if (type === 'BALANCE') return <span className="text-muted">–</span>
  return exchange ? <Badge tone="good">{exchange}</Badge> : <Badge tone="warn">{t('not linked')}</Badge>
}
