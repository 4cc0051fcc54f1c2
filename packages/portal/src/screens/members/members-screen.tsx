import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { accountQuery, useAccount, useMay, useSession } from '../../api/queries.ts'
import type { Member } from '../../api/types.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { Menu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { roleName } from '../../lib/roles.ts'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { RemoveDialog, RoleDialog } from './member-dialogs.tsx'

type Open = { kind: 'invite' } | { kind: 'role' | 'remove'; member: Member } | null

export function Screen() {
  const account = useAccount()
  const isOwner = useMay('owner')
  const [open, setOpen] = useState<Open>(null)
  const members = useQuery(accountQuery<Member[]>(account.id, '/members'))
  const invite = isOwner && (
    <Button look="primary" onClick={() => setOpen({ kind: 'invite' })}>
      {t('Invite a member')}
    </Button>
  )
  return (
    <Page
      title={t('Members')}
      lead={t('Users with access to {account}, in addition to the operators of the service.', {
        account: account.name,
      })}
      actions={invite}
    >
      <QueryView query={members}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t('No members yet')} action={invite}>
              {t('An invited person gets a link that works once.')}
            </EmptyState>
          ) : (
            <MemberTable members={list} isOwner={isOwner} onOpen={setOpen} />
          )
        }
      </QueryView>
      {isOwner && <Invitations />}
      {open?.kind === 'invite' && <InviteDialog onClose={() => setOpen(null)} />}
      {open?.kind === 'role' && <RoleDialog member={open.member} onClose={() => setOpen(null)} />}
      {open?.kind === 'remove' && <RemoveDialog member={open.member} onClose={() => setOpen(null)} />}
    </Page>
  )
}

type MemberTableProps = { members: readonly Member[]; isOwner: boolean; onOpen: (open: Open) => void }

function MemberTable({ members, isOwner, onOpen }: MemberTableProps) {
  const own = useSession().user.id
  const columns = useMemo(() => [...facts(own), ...(isOwner ? [actions(onOpen)] : [])], [own, isOwner, onOpen])
  return (
    <DataTable
      name={t('Members')}
      rows={members}
      columns={columns}
      rowKey={({ id }) => id}
      sortBy={{ id: 'name', desc: false }}
    />
  )
}

const facts = (own: string): Column<Member>[] => [
  {
    id: 'name',
    header: t('Name'),
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <span className="font-medium">
        {name} {id === own && <Badge tone="accent">{t('you')}</Badge>}
      </span>
    ),
  },
  { id: 'role', header: t('Role'), value: ({ role }) => role, cell: ({ role }) => roleName(role) },
  {
    id: 'joined',
    header: t('Member since'),
    value: ({ joinedAt }) => joinedAt,
    cell: ({ joinedAt }) => <Moment at={joinedAt} />,
  },
  {
    id: 'seen',
    header: t('Last seen'),
    value: ({ seenAt }) => seenAt ?? '',
    cell: ({ seenAt }) => (seenAt ? <Moment relative at={seenAt} /> : t('not in 30 days')),
  },
]

const actions = (onOpen: (open: Open) => void): Column<Member> => ({
  id: 'actions',
  header: t('Actions'),
  end: true,
  cell: (member) => (
    <Menu
      name={t('Actions for {name}', { name: member.name })}
      actions={[
        { label: t('Change the role'), onSelect: () => onOpen({ kind: 'role', member }) },
        { label: t('Remove'), danger: true, onSelect: () => onOpen({ kind: 'remove', member }) },
      ]}
    />
  ),
})
