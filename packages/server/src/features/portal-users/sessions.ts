import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import { digestOfToken, randomToken } from './tokens.ts'

/** A session ends when it was not used for so long, and in any case after its days. */
const IDLE = sql<string>`interval '12 hours'`
const LONGEST = sql<string>`interval '30 days'`
/** How long a proof of who the user is counts. */
const PROOF = sql<string>`interval '10 minutes'`
const NOTE_USE = sql<string>`interval '1 minute'`
/** Seconds for which a browser keeps the cookie: the longest life of a session. */
export const COOKIE_SECONDS = 30 * 86_400

type Db = Kysely<Tables> | Transaction<Tables>
/** From where a user signs in: address and user agent. */
export type From = { address: string; agent: string }

const lives = sql<boolean>`s.seen_at > coffer_now() - ${IDLE} and s.created_at > coffer_now() - ${LONGEST}`

/** Begins a session of the user, who has just proved who it is: what the cookie holds, and until when the proof counts. */
export async function beginSession(
  db: Db,
  userId: string,
  { address, agent }: From,
): Promise<{ token: string; provedUntil: Date }> {
  const token = randomToken(32)
  const { provedUntil } = await db
    .insertInto('portal_session')
    .values({ digest: digestOfToken(token), user_id: BigInt(userId), address, agent })
    .returning(sql<Date>`proved_at + ${PROOF}`.as('provedUntil'))
    .executeTakeFirstOrThrow()
  return { token, provedUntil }
}

type AccountAccess = {
  accountId: string
  role: 'viewer' | 'accountant' | 'owner'
  plan: 'FREE' | 'LITE' | 'PRO'
  entitlements: ('portfolio' | 'beacon')[]
}

type FoundRow = {
  id: bigint
  user_id: bigint
  name: string
  is_operator: boolean
  proved_until: Date
  is_proved: boolean
  is_stale: boolean
  account_id: bigint | null
  role: AccountAccess['role'] | null
  plan: AccountAccess['plan'] | null
  entitlements: AccountAccess['entitlements'] | null
}

/**
 * The session behind a cookie, and what its user may do in an account; undefined when it has ended. An operator is an
 * owner of every account. One query, and a write a minute at most.
 */
export async function findSession(
  db: Kysely<Tables>,
  token: string,
  accountId: string | undefined,
): Promise<{ session: PortalSession; access: AccountAccess | undefined } | undefined> {
  const digest = digestOfToken(token)
  const { rows } = await sql<FoundRow>`
    select s.id, s.user_id, u.name, u.is_operator, s.proved_at + ${PROOF} as proved_until,
      s.proved_at + ${PROOF} > coffer_now() as is_proved, s.seen_at < coffer_now() - ${NOTE_USE} as is_stale,
      a.id as account_id, case when u.is_operator then 'owner' else m.role end as role, a.plan, a.entitlements
    from portal_session s
    join portal_user u on u.id = s.user_id
    left join portal_member m on m.user_id = u.id and m.account_id = ${accountId ?? null}::bigint
    left join account a on a.id = ${accountId ?? null}::bigint and (m.user_id is not null or u.is_operator)
    where s.digest = ${digest} and ${lives}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  if (row.is_stale) {
    await sql`update portal_session set seen_at = coffer_now() where id = ${row.id}`.execute(db)
  }
  return { session: sessionOf(row), access: accessOf(row) }
}

function sessionOf(row: FoundRow): PortalSession {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    userName: row.name,
    isOperator: row.is_operator,
    provedUntil: row.is_proved ? row.proved_until : null,
  }
}

function accessOf({ account_id, role, plan, entitlements }: FoundRow): AccountAccess | undefined {
  if (account_id === null || role === null || plan === null || entitlements === null) return undefined
  return { accountId: String(account_id), role, plan, entitlements }
}

/** Notes that the user of a session has proved who it is; until when that counts. */
export async function noteProof(db: Db, sessionId: string): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    update portal_session set proved_at = coffer_now() where id = ${sessionId}
    returning proved_at + ${PROOF} as until`.execute(db)
  return rows[0]?.until ?? new Date(0)
}

/** The living sessions of a user, the newest first. */
export async function listSessions(db: Kysely<Tables>, userId: string) {
  return db
    .selectFrom('portal_session as s')
    .select(['s.id', 's.created_at', 's.seen_at', 's.address', 's.agent'])
    .where('s.user_id', '=', BigInt(userId))
    .where(lives)
    .orderBy('s.id', 'desc')
    .execute()
}

/** Ends one session of a user; false where there is none. */
export async function endSession(db: Db, { userId, id }: { userId: string; id: string }): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('portal_session')
    .where('id', '=', BigInt(id))
    .where('user_id', '=', BigInt(userId))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends the sessions of a user, but for one. */
export async function endOtherSessions(db: Db, userId: string, kept: string | null): Promise<void> {
  const all = db.deleteFrom('portal_session').where('user_id', '=', BigInt(userId))
  await (kept === null ? all : all.where('id', '!=', BigInt(kept))).execute()
}

/** Whether a session lives and its user may still see the account. It is no use of the session. */
export async function isSessionAlive(
  db: Kysely<Tables>,
  { sessionId, accountId }: { sessionId: string; accountId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from portal_session s join portal_user u on u.id = s.user_id
    where s.id = ${sessionId}::bigint and ${lives} and (u.is_operator or exists (
      select from portal_member m where m.user_id = u.id and m.account_id = ${accountId}::bigint))`.execute(db)
  return rows.length > 0
}
