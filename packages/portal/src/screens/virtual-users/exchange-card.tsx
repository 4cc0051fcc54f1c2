import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import type { OwnAnswer } from '../../api/types.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { LinkDialog } from './link-dialog.tsx'
import { useUserChange, type VirtualUser } from './users.ts'

export type Linked = OwnAnswer<'POST', '/accounts/:account/virtual-users/:id/link'>

type OfUser = { user: VirtualUser; isOwner: boolean }

export function ExchangeCard({ user, isOwner }: OfUser) {
  const [open, setOpen] = useState<'link' | 'unlink' | null>(null)
  const [linked, setLinked] = useState<Linked | null>(null)
  const { exchange } = user
  return (
    <Card title={t('Exchange')}>
      <div className="grid gap-3 text-sm">
        {exchange === null ? (
          <p className="text-muted">
            {t('No exchange account is linked. Use a read-only key. Keys that may trade or withdraw are refused.')}
          </p>
        ) : (
          <p>
            {t('Linked to')} <Badge tone="good">{exchange}</Badge>{' '}
            <span className="text-muted">{t('Its credentials are stored encrypted and never shown.')}</span>
          </p>
        )}
        {linked && exchange === linked.exchange && <Permissions linked={linked} />}
        {isOwner && (
          <div className="flex flex-wrap gap-2">
            <Button size="sm" look={exchange ? 'secondary' : 'primary'} onClick={() => setOpen('link')}>
              {exchange ? t('Link another key') : t('Link an exchange')}
            </Button>
            {exchange && (
              <Button size="sm" look="danger" onClick={() => setOpen('unlink')}>
                {t('Unlink')}
              </Button>
            )}
          </div>
        )}
      </div>
      {open === 'link' && <LinkDialog user={user} onLinked={setLinked} onClose={() => setOpen(null)} />}
      {open === 'unlink' && <UnlinkDialog user={user} onClose={() => setOpen(null)} />}
    </Card>
  )
}

/** The key's permissions, as reported by the exchange. */
function Permissions({ linked: { name, permissions, warning } }: { linked: Linked }) {
  return (
    <div role="status" className="grid gap-1 rounded-md border border-line p-3">
      <p className="font-medium">{t('Permissions of the key according to {name}:', { name })}</p>
      <ul className="grid gap-1">
        <li>
          {t('May trade')}: <Permission may={permissions.trade} />
        </li>
        <li>
          {t('May withdraw')}: <Permission may={permissions.withdraw} />
        </li>
      </ul>
      {warning && <p className="rounded-md bg-warn-soft px-2.5 py-1.5 text-warn">{warning}</p>}
    </div>
  )
}

function Permission({ may }: { may: boolean | null }) {
  if (may === null) return <Badge tone="warn">{t('not reported by the exchange')}</Badge>
  return may ? <Badge tone="bad">{t('allowed')}</Badge> : <Badge tone="good">{t('not allowed')}</Badge>
}

function UnlinkDialog({ user, onClose }: { user: VirtualUser; onClose: () => void }) {
  const change = useUserChange()
  const work = useWork()
  return (
    <FormDialog
      danger
      title={t('Unlink the exchange of {name}', { name: user.label })}
      submit={t('Unlink')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        await change((account) =>
          ask('DELETE', '/accounts/:account/virtual-users/:id/link', { params: { account, id: user.id } }),
        )
        onClose()
      }}
    >
      <p className="text-sm text-muted">
        {t('Coffer deletes the credentials and stops reading. Revoke the key at the exchange as well.')}
      </p>
    </FormDialog>
  )
}
