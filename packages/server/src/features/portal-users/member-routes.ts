import { Failure } from '@coffer/contract'
import type { memberEndpoints, Role } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { actorOf, listActions, recordAction } from './audit.ts'
import type { PortalUsers } from './context.ts'
import { createLink, endInvitations, listInvitations, revokeInvitation } from './links.ts'
import { endOtherSessions } from './sessions.ts'

export function memberRoutes({ db }: PortalUsers): Handlers<typeof memberEndpoints, PortalCaller> {
  return {
    listMembers: async ({ caller }) => (await listMembers(db, caller.accountId)).map(plainRow),
    invite: ({ caller, body: { role } }) =>
      db.transaction().execute(async (trx) => {
        const { accountId } = caller
        const madeBy = caller.session?.userId ?? null
        const { token, expiresAt } = await createLink(trx, { kind: 'invitation', accountId, role, madeBy })
        await recordAction(trx, actorOf(caller), { action: 'invited a member', accountId, detail: { role } })
        return { token, expiresAt: expiresAt.toISOString() }
      }),
    listInvitations: ({ caller }) => listInvitations(db, caller.accountId),
    revokeInvitation: ({ caller, params: { id } }) =>
      revokeInvitation(db, actorOf(caller), { accountId: caller.accountId, id }),
    setRole: ({ caller, params, body }) => changeMember(db, caller, params.id, body.role),
    removeMember: ({ caller, params }) => changeMember(db, caller, params.id, null),
    listAudit: async ({ caller, query }) =>
      (await listActions(db, { accountId: caller.accountId, ...query })).map(plainRow),
  }
}

const listMembers = (db: Db, accountId: string) =>
  db
    .selectFrom('portal_member as m')
    .innerJoin('portal_user as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.name', 'm.role', 'm.created_at as joinedAt'])
    .select(sql<Date | null>`(select max(seen_at) from portal_session where user_id = u.id)`.as('seenAt'))
    .where('m.account_id', '=', BigInt(accountId))
    .orderBy('m.created_at')
    .orderBy('u.id')
    .execute()

/** Ends the member's sessions and, unless it stays an owner, its open invitations. */
function changeMember(db: Db, caller: PortalCaller, userId: string, role: Role | null): Promise<Record<never, never>> {
  const { accountId } = caller
  return db.transaction().execute(async (trx) => {
    const members = await lockMembers(trx, accountId)
    const member = members.find(({ user_id }) => String(user_id) === userId)
    if (!member) throw new Failure('NOT_FOUND', 'There is no such member')
    const isLastOwner = member.role === 'owner' && members.filter((each) => each.role === 'owner').length === 1
    if (isLastOwner && role !== 'owner') throw new Failure('LAST_OWNER', 'An account needs an owner')
    await setRole(trx, accountId, userId, role)
    await endOtherSessions(trx, userId, null)
    if (role !== 'owner') await endInvitations(trx, accountId, { madeBy: userId })
    const detail = { user: member.name, from: member.role, ...(role && { role }) }
    const action = role ? 'changed a role' : 'removed a member'
    await recordAction(trx, actorOf(caller), { action, accountId, detail })
    return {}
  })
}

/** The order of IDs makes concurrent changes of one account wait for each other. */
const lockMembers = (trx: Trx, accountId: string) =>
  trx
    .selectFrom('portal_member as m')
    .innerJoin('portal_user as u', 'u.id', 'm.user_id')
    .select(['m.user_id', 'm.role', 'u.name'])
    .where('m.account_id', '=', BigInt(accountId))
    .orderBy('m.user_id')
    .forUpdate('m')
    .execute()

async function setRole(trx: Trx, accountId: string, userId: string, role: Role | null) {
  const isMember = sql`user_id = ${userId} and account_id = ${accountId}`
  await (role === null
    ? sql`delete from portal_member where ${isMember}`
    : sql`update portal_member set role = ${role} where ${isMember}`
  ).execute(trx)
}
