import type { SessionView } from '../api/types.ts'
import { navigationOf } from './navigation.ts'
import { hasScreen } from './screen-route.ts'

/** Returns the first screen of the account, by default the user's first. */
export function landingPath(session: SessionView, account = session.accounts[0]?.id): string {
  const items = navigationOf(session, account).flatMap((section) => section.items)
  return items.find(({ folder }) => hasScreen(folder))?.path ?? '/me'
}
