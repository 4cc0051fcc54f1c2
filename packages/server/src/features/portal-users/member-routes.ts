import type { memberEndpoints } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { actorOf } from './actor.ts'
import { listActions } from './audit.ts'
import { listInvitations } from './links.ts'
import { changeMember, invite, listMembers, revokeInvitation } from './members.ts'

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
