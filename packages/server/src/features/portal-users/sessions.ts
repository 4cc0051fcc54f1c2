import { hash, randomBytes } from 'node:crypto'
import type { Role } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { PortalCaller, PortalSession } from '../../http/gates.ts'

export const randomToken = (bytes: 16 | 32): string => randomBytes(bytes).toString('base64url')

/** SHA-256. Tokens are random, so no slow function is needed. */
export const digestOfToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Since the last use, and since the start. */
const IDLE = sql<string>`interval '12 hours'`
const LONGEST = sql<string>`interval '30 days'`
const PROOF = sql<string>`interval '10 minutes'`
const NOTE_USE = sql<string>`interval '1 minute'`
export const COOKIE_SECONDS = 30 * 86_400

/** `former`: session that the browser had. */
export type From = { address: string; agent: string; former?: string | undefined }

export const lives = sql<boolean>`s.seen_at > coffer_now() - ${IDLE} and s.created_at > coffer_now() - ${LONGEST}`

/** Ends the browser's former session. `token`: value of the cookie. */
export async function beginSession(db: Db, userId: string, { address, agent, former }: From) {
  if (former !== undefined) await db.deleteFrom('portal_session').where('id', '=', BigInt(former)).execute()
  const token = randomToken(32)
  const { provedUntil } = await db
    .insertInto('portal_session')
    .values({ digest: digestOfToken(token), user_id: BigInt(userId), address, agent })
    .returning(sql<Date>`proved_at + ${PROOF}`.as('provedUntil'))
    .executeTakeFirstOrThrow()
  return { token, provedUntil }
}

type FoundSession = PortalSession & {
  isStale: boolean
  accountId: string | null
  role: Role | null
  plan: PortalCaller['plan'] | null
  entitlements: PortalCaller['entitlements'] | null
}

/** Account and role are null without access; operators own every account. At most one write a minute. */
export async function findSession(db: Db, token: string, accountId: string | undefined) {
  const { rows } = await sql<FoundSession>`
    select s.id::text as id, s.user_id::text as "userId", u.name as "userName", u.is_operator as "isOperator",
      case when s.proved_at + ${PROOF} > coffer_now() then s.proved_at + ${PROOF} end as "provedUntil",
      s.seen_at < coffer_now() - ${NOTE_USE} as "isStale", a.id::text as "accountId", a.plan, a.entitlements,
      case when a.id is not null and u.is_operator then 'owner' else m.role end as role
    from portal_session s
    join portal_user u on u.id = s.user_id
    left join portal_member m on m.user_id = u.id and m.account_id = ${accountId ?? null}::bigint
    left join account a on a.id = ${accountId ?? null}::bigint and (m.user_id is not null or u.is_operator)
    where s.digest = ${digestOfToken(token)} and ${lives}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { isStale, accountId: account, role, plan, entitlements, ...session } = row
  if (isStale) await sql`update portal_session set seen_at = coffer_now() where id = ${session.id}::bigint`.execute(db)
  return { session, accountId: account, role, plan, entitlements }
}

export async function noteProof(db: Db, sessionId: string): Promise<{ provedUntil: string }> {
  const { rows } = await sql<{ until: Date }>`
    update portal_session set proved_at = coffer_now() where id = ${sessionId}
    returning proved_at + ${PROOF} as until`.execute(db)
  return { provedUntil: (rows[0]?.until ?? new Date(0)).toISOString() }
}

export async function listSessions(db: Db, userId: string) {
  return db
    .selectFrom('portal_session as s')
    .select(['s.id', 's.created_at as createdAt', 's.seen_at as seenAt', 's.address', 's.agent'])
    .where('s.user_id', '=', BigInt(userId))
    .where(lives)
    .orderBy('s.id', 'desc')
    .execute()
}

export async function endSession(db: Db, { userId, id }: { userId: string; id: string }): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from portal_session where id = ${BigInt(id)} and user_id = ${BigInt(userId)}`.execute(db)
  return numAffectedRows === 1n
}

export async function endOtherSessions(db: Db, userId: string, kept: string | null): Promise<number> {
  const all = db.deleteFrom('portal_session').where('user_id', '=', BigInt(userId))
  const rest = kept === null ? all : all.where('id', '!=', BigInt(kept))
  return Number((await rest.executeTakeFirst()).numDeletedRows)
}

export async function isSessionAlive(db: Db, { sessionId, accountId }: { sessionId: string; accountId: string }) {
  const { rows } = await sql`
    select from portal_session s join portal_user u on u.id = s.user_id
    where s.id = ${sessionId}::bigint and ${lives} and (u.is_operator or exists (
      select from portal_member m where m.user_id = u.id and m.account_id = ${accountId}::bigint))`.execute(db)
  return rows.length > 0
}
