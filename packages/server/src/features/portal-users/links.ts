import { Failure } from '@coffer/contract'
import type { Role } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { type Actor, recordAction } from './audit.ts'
import { digestOfToken, randomToken } from './sessions.ts'

const LINK_HOURS = sql<string>`interval '24 hours'`

export type LinkPurpose =
  | { kind: 'setup' }
  | { kind: 'invitation'; accountId: string; role: Role; madeBy: string | null }
  | { kind: 'recovery'; userId: string }

/** Returns a token, which is stored nowhere. Another set-up or recovery link of the same user ends. */
export async function createLink(db: Db, purpose: LinkPurpose): Promise<NewLink> {
  const token = randomToken(16)
  const { accountId, role, userId, madeBy } = { accountId: null, role: null, userId: null, madeBy: null, ...purpose }
  if (purpose.kind !== 'invitation') {
    await sql`delete from portal_link where kind = ${purpose.kind} and user_id is not distinct from ${userId}::bigint
      and used_at is null`.execute(db)
  }
  const { rows } = await sql<{
    expiresAt: Date
  }>`insert into portal_link (digest, kind, account_id, role, user_id, made_by, expires_at) values
    (${digestOfToken(token)}, ${purpose.kind}, ${accountId}::bigint, ${role}, ${userId}::bigint, ${madeBy}::bigint,
      coffer_now() + ${LINK_HOURS})
    returning expires_at as "expiresAt"`.execute(db)
  const [{ expiresAt } = { expiresAt: new Date(0) }] = rows
  return { token, expiresAt }
}

export async function createSetupLink(db: Db): Promise<NewLink | undefined> {
  return db.transaction().execute(async (trx) => {
    await lockUsers(trx)
    return (await hasUsers(trx)) ? undefined : createLink(trx, { kind: 'setup' })
  })
}

type NewLink = { token: string; expiresAt: Date }

export type Link = {
  kind: LinkPurpose['kind']
  accountId: string | null
  account: string | null
  role: Role | null
  userId: string | null
  user: string | null
  expiresAt: Date
}

/** An invitation is open while its author is an operator or an owner of the account; null: `coffer-admin`. */
const open = sql<boolean>`portal_link.used_at is null and portal_link.expires_at > coffer_now() and (
  portal_link.made_by is null
  or exists (select from portal_user u where u.id = portal_link.made_by and u.is_operator)
  or exists (select from portal_member m where m.user_id = portal_link.made_by
    and m.account_id = portal_link.account_id and m.role = 'owner'))`

/** Throws NOT_FOUND for a link that is unknown, used or expired. */
export const lookAtLink = (db: Db, token: string): Promise<Link> => lookAtDigest(db, digestOfToken(token))

async function lookAtDigest(db: Db, digest: Buffer): Promise<Link> {
  const { rows } = await sql<Link>`
    select portal_link.kind, portal_link.account_id::text as "accountId", account.name as account, portal_link.role,
      portal_link.user_id::text as "userId", portal_user.name as user, portal_link.expires_at as "expiresAt"
    from portal_link left join account on account.id = portal_link.account_id
    left join portal_user on portal_user.id = portal_link.user_id
    where portal_link.digest = ${digest} and ${open}`.execute(db)
  const [link] = rows
  if (!link || (link.kind === 'setup' && (await hasUsers(db)))) throw gone()
  return link
}

/** The first of concurrent set-ups to commit creates the owner. Throws NOT_FOUND otherwise. */
export async function takeLink(trx: Trx, digest: Buffer, kind?: LinkPurpose['kind']): Promise<Link> {
  const link = await lookAtDigest(trx, digest)
  if (kind !== undefined && link.kind !== kind) throw gone()
  if (link.kind === 'setup') {
    await lockUsers(trx)
    if (await hasUsers(trx)) throw gone()
  }
  const { numAffectedRows } = await sql`
    update portal_link set used_at = coffer_now() where digest = ${digest} and ${open}`.execute(trx)
  if (numAffectedRows !== 1n) throw gone()
  return link
}

/** `by` is null for `coffer-admin`. */
export async function listInvitations(db: Db, accountId: string) {
  const rows = await db
    .selectFrom('portal_link')
    .leftJoin('portal_user as author', 'author.id', 'portal_link.made_by')
    .select(['portal_link.id', 'author.name as by', 'portal_link.created_at as createdAt', 'expires_at as expiresAt'])
    .select(sql<Role>`coalesce(role, 'viewer')`.as('role'))
    .where('kind', '=', 'invitation')
    .where('account_id', '=', BigInt(accountId))
    .where(open)
    .orderBy('portal_link.id', 'desc')
    .execute()
  return rows.map(plainRow)
}

export async function endInvitations(db: Db, accountId: string, which: { id: string } | { madeBy: string }) {
  const isNamed = 'id' in which ? sql`id = ${which.id}::bigint` : sql`made_by = ${which.madeBy}::bigint`
  const { rows } = await sql<{ role: Role | null }>`delete from portal_link where kind = 'invitation'
    and account_id = ${accountId}::bigint and used_at is null and expires_at > coffer_now() and ${isNamed}
    returning role`.execute(db)
  return rows.map(({ role }) => role)
}

export const revokeInvitation = (db: Db, actor: Actor, { accountId, id }: { accountId: string; id: string }) =>
  db.transaction().execute(async (trx) => {
    const [role] = await endInvitations(trx, accountId, { id })
    if (!role) throw new Failure('NOT_FOUND', 'There is no such invitation')
    await recordAction(trx, actor, { action: 'revoked an invitation', accountId, detail: { role } })
    return {}
  })

const gone = () => new Failure('NOT_FOUND', 'This link was used, has expired or does not exist')

export async function lockUsers(trx: Trx): Promise<void> {
  await sql`lock table portal_user in share row exclusive mode`.execute(trx)
}

async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('portal_user').select('id').limit(1).executeTakeFirst()) !== undefined
}
