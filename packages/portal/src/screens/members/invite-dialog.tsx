import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { renew, useAccount } from '../../api/queries.ts'
import type { Invitation, Role } from '../../api/types.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Actions, Dialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/figures.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { RoleField } from './role-field.tsx'

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { id: account } = useAccount()
  const [role, setRole] = useState<Role>('viewer')
  const [made, setMade] = useState<Invitation | null>(null)
  const work = useWork()
  if (made) return <LinkView invitation={made} onClose={onClose} />
  return (
    <FormDialog
      title={t('Invite a member')}
      submit={t('Create a link')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        setMade(await ask('POST', '/accounts/:account/invitations', { params: { account }, body: { role } }))
        await renew(account, '/invitations')
      }}
    >
      <RoleField role={role} onChoose={setRole} />
    </FormDialog>
  )
}

/** Invitation link, shown once; only its own button closes the dialog. */
function LinkView({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const link = `${location.origin}/link#${invitation.token}`
  return (
    <Dialog open title={t('Invitation link')}>
      <div className="grid gap-3">
        <p className="rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
          {t('Send it to one person. The first person to open it joins. It is shown only once.')}
        </p>
        <code className="rounded-md border border-line bg-sunken p-2 font-mono text-[0.8125rem] break-all">{link}</code>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="text-sm text-muted">
            {t('Works once, until')} <Moment at={invitation.expiresAt} />
          </p>
          <CopyButton text={link} name={t('Invitation link')} />
        </div>
      </div>
      <Actions>
        <Button look="primary" onClick={onClose}>
          {t('I have copied it')}
        </Button>
      </Actions>
    </Dialog>
  )
}
