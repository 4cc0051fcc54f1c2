import type { Gates } from '../../http/gates.ts'
import type { Module, Ports } from '../module.ts'
import type { RateLimits } from '../rate-limit/rate-limits.ts'
import { linkRoutes } from './link-routes.ts'
import { createLinkUses } from './link-uses.ts'
import { createSetupLink } from './links.ts'
import { createPasswords } from './passwords.ts'
import { createPortalDoor } from './portal-door.ts'
import { sessionRoutes } from './session-routes.ts'
import { createSignInLimits } from './sign-in-limits.ts'
import { createSignIns } from './sign-ins.ts'
import { ownPasskeys, ownSessions } from './user-security.ts'

type OwnPorts = Pick<Ports, 'database'> & {
  gates: Pick<Gates, 'limitAnonymous'>
  rateLimits: Pick<RateLimits, 'take'>
}

/** The door that sessions of users open, and the token of a link for the first owner, where there is no user. */
export const openPortal = ({ database: { db }, gates, rateLimits: { take } }: OwnPorts) => ({
  door: createPortalDoor({ db, gates, take }),
  makeSetupLink: () => createSetupLink(db),
})

/** Users of the portal: how they sign in, and what they have to do so. */
export function portalUserModule({ database: { db }, rateLimits: { take } }: OwnPorts) {
  const passwords = createPasswords()
  const signIns = createSignIns({ db, passwords, countAttempt: createSignInLimits(take) })
  return {
    portal: {
      ...sessionRoutes({ signIns, passkeys: ownPasskeys({ db }), sessions: ownSessions({ db, passwords }) }),
      ...linkRoutes({ links: createLinkUses({ db, passwords }) }),
    },
  } satisfies Module
}
