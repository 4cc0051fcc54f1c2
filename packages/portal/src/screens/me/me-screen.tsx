import { useSession } from '../../api/queries.ts'
import { Page } from '../../components/page.tsx'
import { t } from '../../lib/i18n.ts'
import { passkeysWork } from '../../lib/passkeys.ts'
import { IdentitiesCard } from './identities-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { TotpCard } from './totp-card.tsx'
import { WalletsCard } from './wallets-card.tsx'

export function Screen() {
  const { user } = useSession()
  return (
    <Page title={t('Security and sessions')} lead={t('You are signed in as {name}.', { name: user.name })}>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid content-start gap-4">
          {(passkeysWork() || user.passkeys > 0) && <PasskeysCard />}
          <WalletsCard />
          <IdentitiesCard />
        </div>
        <div className="grid content-start gap-4">
          <PasswordCard />
          {user.hasPassword && <TotpCard />}
        </div>
      </div>
      <SessionsCard />
    </Page>
  )
}
