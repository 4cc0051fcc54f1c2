import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { useIssuerName } from '../../api/issuer.ts'
import type { IdentityItem } from '../../api/types.ts'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Moment } from '../../components/figures.tsx'
import { IssuerButton } from '../../components/issuer-button.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { t } from '../../lib/i18n.ts'
import { identitiesQuery } from './own.ts'
import { RemoveWay } from './remove-way.tsx'

/** Issuer accounts that sign the user in; hidden without accounts and issuer. */
export function IdentitiesCard() {
  const identities = useQuery(identitiesQuery)
  const issuer = useIssuerName()
  if (issuer === null && (identities.data ?? []).length === 0) return null
  return (
    <Card title={t('Accounts at other services')}>
      <div className="grid gap-3">
        <QueryView query={identities} lines={2}>
          {(list) =>
            list.length === 0 ? (
              <p className="text-sm text-muted">{t('No linked accounts yet. A linked account signs you in.')}</p>
            ) : (
              <ul className="divide-y divide-line">
                {list.map((identity) => (
                  <IdentityLine key={identity.id} identity={identity} />
                ))}
              </ul>
            )
          }
        </QueryView>
        {issuer !== null && (
          <div className="grid justify-items-start gap-2">
            <IssuerButton
              size="sm"
              label={t('Link an account of {name}', { name: issuer })}
              begin={() => ask('POST', '/user/identities', { body: {} })}
              next="/me"
            />
          </div>
        )}
      </div>
    </Card>
  )
}

function IdentityLine({ identity: { id, label, issuer, isUsable, lastUsedAt } }: { identity: IdentityItem }) {
  return (
    <RemoveWay
      action={t('Unlink')}
      label={t('Unlink {name}', { name: label })}
      isUsable={isUsable}
      remove={() => ask('DELETE', '/user/identities/:id', { params: { id } })}
    >
      <p className="text-sm font-medium break-all">{label}</p>
      <p className="text-xs text-muted">
        {issuer} {!isUsable && <Badge tone="warn">{t('no longer accepted')}</Badge>} · {t('Last used')}:{' '}
        {lastUsedAt ? <Moment relative at={lastUsedAt} /> : t('never')}
      </p>
    </RemoveWay>
  )
}
