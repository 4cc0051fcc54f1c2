import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useSession } from '../api/queries.ts'
import type { SessionView } from '../api/types.ts'
import { Select } from '../components/select.tsx'
import { t } from '../lib/i18n.ts'
import { landingPath } from './landing.ts'
import { navigationOf } from './navigation.ts'
import { hasScreen } from './screen-route.ts'
import { UserMenu } from './user-menu.tsx'

export function Sidebar({ onSearch }: { onSearch: () => void }) {
  const session = useSession()
  const account = useCurrentAccount(session)
  const sections = navigationOf(session, account)
    .map((section) => ({ ...section, items: section.items.filter(({ folder }) => hasScreen(folder)) }))
    .filter(({ items }) => items.length > 0)
  return (
    <div className="flex h-full flex-col gap-3">
      <Link to="/" className="hidden px-2 text-lg font-semibold tracking-tight lg:block">
        Coffer
      </Link>
      {account !== undefined && <AccountSwitch session={session} account={account} />}
      <button
        type="button"
        onClick={onSearch}
        className="flex min-h-8 items-center justify-between rounded-md border border-line px-2.5 text-sm text-muted hover:bg-sunken"
      >
        {t('Go to…')}
        <kbd className="font-mono text-xs">Ctrl K</kbd>
      </button>
      <nav aria-label={t('Screens')} className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        {sections.map((section) => (
          <div key={section.title} className="mb-3">
            <h2 className="px-2 pb-1 text-xs font-medium text-muted">{section.title}</h2>
            <ul>
              {section.items.map((item) => (
                <li key={item.path}>
                  <Link
                    to={item.path}
                    className="block rounded-md px-2 py-1 text-sm hover:bg-sunken"
                    activeProps={{ className: 'bg-accent-soft font-medium text-accent-strong', 'aria-current': 'page' }}
                  >
                    {item.title}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <UserMenu name={session.user.name} />
    </div>
  )
}

/** Returns the URL's account, else the user's first. */
export function useCurrentAccount(session: SessionView): string | undefined {
  const { account } = useParams({ strict: false }) as { account?: string }
  return account ?? session.accounts[0]?.id
}

function AccountSwitch({ session, account }: { session: SessionView; account: string }) {
  const navigate = useNavigate()
  const [only] = session.accounts
  if (session.accounts.length === 1 && only) return <p className="truncate px-2 text-sm font-medium">{only.name}</p>
  return (
    <Select
      aria-label={t('Account')}
      value={account}
      choices={session.accounts.map(({ id, name }) => ({ value: id, label: name }))}
      onChoose={(id) => void navigate({ to: landingPath(session, id) })}
    />
  )
}
