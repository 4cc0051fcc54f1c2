import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import { digestOfToken, randomToken } from './tokens.ts'

/** Since the last use, and since the start. */
const IDLE = sql<string>`interval '12 hours'`
const LONGEST = sql<string>`interval '30 days'`
const PROOF = sql<string>`interval '10 minutes'`
const NOTE_USE = sql<string>`interval '1 minute'`
export const COOKIE_SECONDS = 30 * 86_400

type Db = Kysely<Tables> | Transaction<Tables>
/** `former`: session that the browser had. */
export type From = { address: string; agent: string; former?: string | undefined }

export const lives = sql<boolean>`s.seen_at > coffer_now() - ${IDLE} and s.created_at > coffer_now() - ${LONGEST}`

/** Ends the browser's former session. `token`: value of the cookie. */
export async function beginSession(
  db: Db,
  userId: string,
  { address, agent, former }: From,
): Promise<{ token: string; provedUntil: Date }> {
  if (former !== undefined) await db.deleteFrom('portal_session').where('id', '=', BigInt(former)).execute()
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

/** Operators own every account. Takes one query, and at most one write a minute. */
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

export async function noteProof(db: Db, sessionId: string): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    update portal_session set proved_at = coffer_now() where id = ${sessionId}
    returning proved_at + ${PROOF} as until`.execute(db)
  return rows[0]?.until ?? new Date(0)
}

export async function listSessions(db: Kysely<Tables>, userId: string) {
  return db
    .selectFrom('portal_session as s')
    .select(['s.id', 's.created_at', 's.seen_at', 's.address', 's.agent'])
    .where('s.user_id', '=', BigInt(userId))
    .where(lives)
    .orderBy('s.id', 'desc')
    .execute()
}

export async function endSession(db: Db, { userId, id }: { userId: string; id: string }): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('portal_session')
    .where('id', '=', BigInt(id))
    .where('user_id', '=', BigInt(userId))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function endOtherSessions(db: Db, userId: string, kept: string | null): Promise<number> {
  const all = db.deleteFrom('portal_session').where('user_id', '=', BigInt(userId))
  const rest = kept === null ? all : all.where('id', '!=', BigInt(kept))
  return Number((await rest.executeTakeFirst()).numDeletedRows)
}

/** Checks access without counting as use. */
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
