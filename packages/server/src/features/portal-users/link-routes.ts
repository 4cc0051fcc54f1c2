import type { linkEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { fromOf, signedIn } from './actor.ts'
import { openerOf } from './challenges.ts'
import type { LinkUses } from './link-uses.ts'
import { sessionCookie } from './session-cookie.ts'

export function linkRoutes({ links }: { links: LinkUses }): Handlers<typeof linkEndpoints, PortalCaller> {
  return {
    lookAtLink: async ({ caller, body }) => {
      const { kind, account, accountId, role, user, expiresAt } = await links.look(body.token)
      const signedInAs = caller.session?.userName ?? null
      return { kind, account, accountId, role, user, signedInAs, expiresAt: expiresAt.toISOString() }
    },
    beginPasskeyByLink: ({ caller, body, origin }) => links.beginPasskey(body, { origin, opener: openerOf(caller) }),
    joinByLink: ({ caller, body }) => links.join(signedIn(caller), body.token, caller.from),
    followLink: async ({ caller, body, origin }) => {
      const { token, view } = await links.use(body, { origin, ...fromOf(caller) })
      return { body: view, headers: { 'set-cookie': sessionCookie(token, origin) } }
    },
  }
}
