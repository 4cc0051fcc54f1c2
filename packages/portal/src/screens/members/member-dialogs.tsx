import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { queryClient, renew, sessionQuery, useAccount, useSession } from '../../api/queries.ts'
import type { Member } from '../../api/types.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { RoleField } from './role-field.tsx'

type MemberDialogProps = { member: Member; onClose: () => void }

/** A change of oneself ends the session. */
function useMemberChange(member: Member, onClose: () => void) {
  const { id: account } = useAccount()
  const own = useSession().user.id
  return async (change: (params: { account: string; id: string }) => Promise<unknown>): Promise<void> => {
    await change({ account, id: member.id })
    onClose()
    await Promise.all([renew(account, '/members'), renew(account, '/invitations')])
    if (member.id === own) await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
}

export function RoleDialog({ member, onClose }: MemberDialogProps) {
  const [role, setRole] = useState(member.role)
  const change = useMemberChange(member, onClose)
  const work = useWork()
  return (
    <FormDialog
      title={t('Role of {name}', { name: member.name })}
      submit={t('Change')}
      isReady={role !== member.role}
      work={work}
      onClose={onClose}
      onSubmit={() => change((params) => ask('PATCH', '/accounts/:account/members/:id', { params, body: { role } }))}
    >
      <RoleField role={role} onChoose={setRole} />
      <p className="text-sm text-muted">{t('The sessions of {name} end.', { name: member.name })}</p>
    </FormDialog>
  )
}

export function RemoveDialog({ member, onClose }: MemberDialogProps) {
  const { name: account } = useAccount()
  const change = useMemberChange(member, onClose)
  const work = useWork()
  return (
    <FormDialog
      danger
      title={t('Remove {name}', { name: member.name })}
      submit={t('Remove')}
      work={work}
      onClose={onClose}
      onSubmit={() => change((params) => ask('DELETE', '/accounts/:account/members/:id', { params }))}
    >
      <p className="text-sm">
        {t('{name} loses access to {account}. The sessions and open invitations of {name} end. Keys stay.', {
          name: member.name,
          account,
        })}
      </p>
    </FormDialog>
  )
}
