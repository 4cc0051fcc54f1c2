import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { callerNetwork } from '../../lib/caller-network.ts'

type Db = Kysely<Tables> | Transaction<Tables>

/** `subject`: digest of a link, ID of a user, address of a wallet; empty for a sign-in. */
export type Challenged = { purpose: Tables['portal_challenge']['purpose']; subject: string }

export const CHALLENGE_SECONDS = 300
const CHALLENGE_LIFE = sql<string>`interval '${sql.raw(String(CHALLENGE_SECONDS))} seconds'`
/** Per session and per user; the oldest give way. */
const MOST_OF_SESSION = 20
const MOST_OF_USER = 60
/** As many as a network's request window admits within a challenge's lifetime. */
const MOST_OF_NETWORK = 300
/** The network with the most gives way. */
const MOST_OF_NETWORKS = 10_000

export type Opener = { by: string; session: string | null }
export type Opening = { origin: string; opener: Opener }

export const openerOf = ({ session, from }: PortalCaller): Opener =>
  session
    ? { by: `user:${session.userId}`, session: session.id }
    : { by: `network:${callerNetwork(from.address)}`, session: null }

/** By the database's clock. */
export async function timesOfChallenge(db: Db): Promise<{ now: Date; end: Date }> {
  const { rows } = await sql<{ now: Date; end: Date }>`
    select coffer_now() as now, coffer_now() + ${CHALLENGE_LIFE} as end`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select without from has one row')
  return row
}

export async function openChallenge(
  db: Db,
  challenge: string,
  { purpose, subject }: Challenged,
  { origin, opener: { by, session } }: Opening,
): Promise<void> {
  await sql`insert into portal_challenge (challenge, purpose, subject, origin, opened_by, session_id, expires_at)
    values (${challenge}, ${purpose}, ${subject}, ${origin}, ${by}, ${session}::bigint, coffer_now() + ${CHALLENGE_LIFE})`.execute(
    db,
  )
  const most = session === null ? MOST_OF_NETWORK : MOST_OF_USER
  await sql`delete from portal_challenge where expires_at < coffer_now() or challenge in (
      select challenge from portal_challenge where opened_by = ${by} order by expires_at desc offset ${most}::int)
    or challenge in (select challenge from portal_challenge where session_id = ${session}::bigint
      order by expires_at desc offset ${MOST_OF_SESSION}::int)`.execute(db)
  if (session !== null) return
  await sql`delete from portal_challenge where challenge = (
      select challenge from portal_challenge where opened_by = (
        select opened_by from portal_challenge where session_id is null group by opened_by order by count(*) desc limit 1)
      order by expires_at limit 1)
    and (select count(*) from portal_challenge where session_id is null) > ${MOST_OF_NETWORKS}::int`.execute(db)
}

export async function takeSubject(
  db: Db,
  challenge: string,
  { purpose, origin }: { purpose: Challenged['purpose']; origin: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ subject: string }>`delete from portal_challenge where challenge = ${challenge}
    and purpose = ${purpose} and origin = ${origin} and expires_at > coffer_now() returning subject`.execute(db)
  return rows[0]?.subject
}

const isThis = (challenge: string, { purpose, subject, origin }: Challenged & { origin: string }) =>
  sql`challenge = ${challenge} and purpose = ${purpose} and subject = ${subject} and origin = ${origin}
    and expires_at > coffer_now()`

export async function isOpen(db: Db, challenge: string, challenged: Challenged & { origin: string }): Promise<boolean> {
  const { rows } = await sql`select from portal_challenge where ${isThis(challenge, challenged)}`.execute(db)
  return rows.length > 0
}

export async function takeChallenge(
  db: Db,
  challenge: string,
  challenged: Challenged & { origin: string },
): Promise<boolean> {
  const { rows } = await sql`delete from portal_challenge where ${isThis(challenge, challenged)} returning 1`.execute(
    db,
  )
  return rows.length > 0
}
