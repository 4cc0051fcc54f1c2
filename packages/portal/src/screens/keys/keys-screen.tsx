import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { accountQuery, useAccount, useMay } from '../../api/queries.ts'
import type { KeyView, UsageView } from '../../api/types.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { Menu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { CreateKeyDialog, RenameKeyDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.tsx'
import { KeyUsage, USAGE_DAYS } from './key-usage.tsx'

type Open = { kind: 'create' } | { kind: 'rename' | 'rotate' | 'revoke'; key: KeyView } | null

export function Screen() {
  const account = useAccount()
  const isOwner = useMay('owner')
  const [open, setOpen] = useState<Open>(null)
  const keys = useQuery(accountQuery<KeyView[]>(account.id, '/keys'))
  const create = (
    <Button look="primary" onClick={() => setOpen({ kind: 'create' })}>
      {t('Create a key')}
    </Button>
  )
  return (
    <Page
      title={t('API keys')}
      lead={t('Use one key per application, so that you can revoke each separately.')}
      actions={isOwner && create}
    >
      <QueryView query={keys}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t('No keys yet')} action={isOwner && create}>
              {t('A key lets a program call the API as this account.')}
            </EmptyState>
          ) : (
            <KeyTable keys={list} isOwner={isOwner} onOpen={setOpen} />
          )
        }
      </QueryView>
      <OpenDialog open={open} onClose={() => setOpen(null)} />
    </Page>
  )
}

function OpenDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  if (!open) return null
  if (open.kind === 'create') return <CreateKeyDialog onClose={onClose} />
  if (open.kind === 'rename') return <RenameKeyDialog apiKey={open.key} onClose={onClose} />
  if (open.kind === 'rotate') return <RotateKeyDialog apiKey={open.key} onClose={onClose} />
  return <RevokeKeyDialog apiKey={open.key} onClose={onClose} />
}

type KeyTableProps = { keys: readonly KeyView[]; isOwner: boolean; onOpen: (open: Open) => void }

function KeyTable({ keys, isOwner, onOpen }: KeyTableProps) {
  const { data, error } = useQuery(accountQuery<UsageView>(useAccount().id, '/usage', { days: USAGE_DAYS }))
  const columns = useMemo(
    () => [...facts(), used(data, error), ...(isOwner ? [actions(onOpen)] : [])],
    [data, error, isOwner, onOpen],
  )
  return (
    <DataTable
      name={t('API keys')}
      rows={keys}
      columns={columns}
      rowKey={(key) => key.id}
      sortBy={{ id: 'created', desc: true }}
    />
  )
}

const facts = (): Column<KeyView>[] => [
  {
    id: 'name',
    header: t('Name'),
    value: (key) => key.name,
    cell: (key) => <span className="font-medium">{key.name}</span>,
  },
  { id: 'key', header: t('Key'), cell: (key) => <code className="font-mono text-[0.8125rem]">{key.key}</code> },
  { id: 'state', header: t('State'), cell: (key) => <KeyState revokedAt={key.revokedAt} /> },
  {
    id: 'created',
    header: t('Created'),
    value: (key) => key.createdAt,
    cell: (key) => <Moment at={key.createdAt} />,
  },
  {
    id: 'used',
    header: t('Last used'),
    value: (key) => key.lastUsedAt ?? '',
    cell: (key) => (key.lastUsedAt ? <Moment relative at={key.lastUsedAt} /> : t('never')),
  },
]

const used = (usage: UsageView | undefined, failure: Error | null): Column<KeyView> => ({
  id: 'usage',
  header: t('Calls in {n} days', { n: USAGE_DAYS }),
  cell: (key) => <KeyUsage apiKey={key} usage={usage} failure={failure} />,
})

const actions = (onOpen: (open: Open) => void): Column<KeyView> => ({
  id: 'actions',
  header: t('Actions'),
  end: true,
  cell: (key) =>
    hasEnded(key.revokedAt) ? null : (
      <Menu
        name={t('Actions for {name}', { name: key.name })}
        actions={[
          { label: t('Rename'), onSelect: () => onOpen({ kind: 'rename', key }) },
          ...(key.revokedAt ? [] : [{ label: t('Rotate'), onSelect: () => onOpen({ kind: 'rotate', key }) }]),
          { label: t('Revoke'), danger: true, onSelect: () => onOpen({ kind: 'revoke', key }) },
        ]}
      />
    ),
})

const hasEnded = (revokedAt: string | null): boolean => revokedAt !== null && new Date(revokedAt) <= new Date()

function KeyState({ revokedAt }: { revokedAt: string | null }) {
  if (revokedAt === null) return <Badge tone="good">{t('active')}</Badge>
  if (hasEnded(revokedAt)) return <Badge>{t('revoked')}</Badge>
  return (
    <span>
      <Badge tone="warn">{t('ends')}</Badge> <Moment relative at={revokedAt} />
    </span>
  )
}
