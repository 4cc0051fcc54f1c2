import { Failure } from '@coffer/contract'
import type { Role } from '@coffer/contract/portal'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { type Actor, recordAction } from './audit.ts'
import { createLink, endInvitations } from './links.ts'
import { endOtherSessions } from './sessions.ts'

type Member = { accountId: string; userId: string }

export async function listMembers(db: Kysely<Tables>, accountId: string) {
  return db
    .selectFrom('portal_member as m')
    .innerJoin('portal_user as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.name', 'm.role', 'm.created_at as joinedAt'])
    .select((expression) =>
      expression
        .selectFrom('portal_session as s')
        .select(({ fn }) => fn.max('s.seen_at').as('seenAt'))
        .whereRef('s.user_id', '=', 'u.id')
        .as('seenAt'),
    )
    .where('m.account_id', '=', BigInt(accountId))
    .orderBy('m.created_at')
    .orderBy('u.id')
    .execute()
}

export function invite(
  db: Kysely<Tables>,
  { accountId, role, actor }: { accountId: string; role: Role; actor: Actor },
) {
  return db.transaction().execute(async (trx) => {
    const link = await createLink(trx, { kind: 'invitation', accountId, role, madeBy: actor.userId })
    await recordAction(trx, actor, { action: 'invited a member', accountId, detail: { role } })
    return link
  })
}

export async function revokeInvitation(
  db: Kysely<Tables>,
  { accountId, id, actor }: { accountId: string; id: string; actor: Actor },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const [role] = await endInvitations(trx, accountId, { id })
    if (!role) throw new Failure('NOT_FOUND', 'There is no such invitation')
    await recordAction(trx, actor, { action: 'revoked an invitation', accountId, detail: { role } })
  })
}

/**
 * Ends the member's sessions and, unless it stays an owner, its open invitations. Throws NOT_FOUND for a non-member,
 * LAST_OWNER for the last owner.
 */
export async function changeMember(
  db: Kysely<Tables>,
  { accountId, userId }: Member,
  { role, actor }: { role: Role | null; actor: Actor },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const members = await lockMembers(trx, accountId)
    const member = members.find(({ user_id }) => String(user_id) === userId)
    if (!member) throw new Failure('NOT_FOUND', 'There is no such member')
    const isLastOwner = member.role === 'owner' && members.filter((each) => each.role === 'owner').length === 1
    if (isLastOwner && role !== 'owner') throw new Failure('LAST_OWNER', 'An account needs an owner')
    await setRole(trx, { accountId, userId }, role)
    await endOtherSessions(trx, userId, null)
    if (role !== 'owner') await endInvitations(trx, accountId, { madeBy: userId })
    const detail = { user: member.name, from: member.role, ...(role && { role }) }
    await recordAction(trx, actor, { action: role ? 'changed a role' : 'removed a member', accountId, detail })
  })
}

/** The order of IDs makes concurrent changes of one account wait for each other. */
const lockMembers = (trx: Transaction<Tables>, accountId: string) =>
  trx
    .selectFrom('portal_member as m')
    .innerJoin('portal_user as u', 'u.id', 'm.user_id')
    .select(['m.user_id', 'm.role', 'u.name'])
    .where('m.account_id', '=', BigInt(accountId))
    .orderBy('m.user_id')
    .forUpdate('m')
    .execute()

async function setRole(trx: Transaction<Tables>, { accountId, userId }: Member, role: Role | null): Promise<void> {
  const member = sql`user_id = ${userId} and account_id = ${accountId}`
  await (role === null
    ? sql`delete from portal_member where ${member}`
    : sql`update portal_member set role = ${role} where ${member}`
  ).execute(trx)
}
