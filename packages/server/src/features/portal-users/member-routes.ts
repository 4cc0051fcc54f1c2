import type { linkEndpoints, memberEndpoints } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { actorOf, fromOf, listActions, signedIn } from './audit.ts'
import { openerOf } from './challenges.ts'
import type { LinkUses } from './link-uses.ts'
import { listInvitations } from './links.ts'
import { changeMember, invite, listMembers, revokeInvitation } from './members.ts'
import { sessionCookie } from './session-cookie.ts'

export function memberRoutes({ db }: { db: Kysely<Tables> }): Handlers<typeof memberEndpoints, PortalCaller> {
  return {
    listMembers: async ({ caller }) =>
      (await listMembers(db, caller.accountId)).map(({ id, joinedAt, seenAt, ...member }) => ({
        id: String(id),
        ...member,
        joinedAt: joinedAt.toISOString(),
        seenAt: seenAt?.toISOString() ?? null,
      })),
    invite: async ({ caller, body }) => {
      const { accountId } = caller
      const { token, expiresAt } = await invite(db, { accountId, actor: actorOf(caller), ...body })
      return { token, expiresAt: expiresAt.toISOString() }
    },
    listInvitations: ({ caller }) => listInvitations(db, caller.accountId),
    revokeInvitation: async ({ caller, params }) => {
      await revokeInvitation(db, { accountId: caller.accountId, id: params.id, actor: actorOf(caller) })
      return {}
    },
    setRole: async ({ caller, params, body }) => {
      const { accountId } = caller
      await changeMember(db, { accountId, userId: params.id }, { ...body, actor: actorOf(caller) })
      return {}
    },
    removeMember: async ({ caller, params }) => {
      const { accountId } = caller
      await changeMember(db, { accountId, userId: params.id }, { role: null, actor: actorOf(caller) })
      return {}
    },
    listAudit: async ({ caller, query }) =>
      (await listActions(db, { accountId: caller.accountId, ...query })).map(({ id, at, ...line }) => ({
        id: String(id),
        at: at.toISOString(),
        ...line,
      })),
  }
}

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
