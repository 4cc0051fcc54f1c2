import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { accountQuery, renew, useAccount } from '../../api/queries.ts'
import type { OpenInvitation } from '../../api/types.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Failure } from '../../components/failure.tsx'
import { Moment } from '../../components/figures.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { roleName } from '../../lib/roles.ts'

/** For owners; hidden without open invitations. */
export function Invitations() {
  const { id: account } = useAccount()
  const { data = [] } = useQuery(accountQuery<OpenInvitation[]>(account, '/invitations'))
  if (data.length === 0) return null
  return (
    <Card title={t('Open invitations')} className="mt-4">
      <p className="text-sm text-muted">
        {t('An invitation ends after a day, when it is used, or when its author is no longer an owner.')}
      </p>
      <ul className="divide-y divide-line">
        {data.map((invitation) => (
          <InvitationLine key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Card>
  )
}

function InvitationLine({ invitation: { id, role, by, expiresAt } }: { invitation: OpenInvitation }) {
  const { id: account } = useAccount()
  const work = useWork()
  const revoke = () =>
    work.run(async () => {
      await ask('DELETE', '/accounts/:account/invitations/:id', { params: { account, id } })
      await renew(account, '/invitations')
    })
  return (
    <li className="grid gap-1 py-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="min-w-0">
          <p className="text-sm font-medium">{roleName(role)}</p>
          <p className="text-xs text-muted">
            {t('Invited by {name}', { name: by ?? 'coffer-admin' })}. {t('Works once, until')} <Moment at={expiresAt} />
          </p>
        </div>
        <Button
          size="sm"
          look="danger"
          busy={work.busy}
          aria-label={t('Revoke the invitation as {role}', { role: roleName(role) })}
          onClick={() => void revoke()}
        >
          {t('Revoke')}
        </Button>
      </div>
      <Failure text={work.error} />
    </li>
  )
}
