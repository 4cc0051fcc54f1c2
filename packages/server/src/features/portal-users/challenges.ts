import { sql } from 'kysely'
import type { Db, Tables } from '../../db/tables.ts'
import { callerNetwork } from '../../lib/caller-network.ts'
import type { Visit } from './context.ts'

/** `subject`: digest of a link, ID of a user, address of a wallet; empty for a sign-in. */
export type Challenged = { purpose: Tables['portal_challenge']['purpose']; subject: string }

export type ChallengedAt = Challenged & { origin: string }

export const CHALLENGE_SECONDS = 300
const CHALLENGE_LIFE = sql<string>`interval '${sql.raw(String(CHALLENGE_SECONDS))} seconds'`
/** Per session and per user; the oldest give way. */
const MOST_OF_SESSION = 20
const MOST_OF_USER = 60
/** As many as a network's request window admits within a challenge's lifetime. */
const MOST_OF_NETWORK = 300
/** The network with the most gives way. */
const MOST_OF_NETWORKS = 10_000

export const timesOfChallenge = (db: Db) =>
  db
    .selectNoFrom([sql<Date>`coffer_now()`.as('now'), sql<Date>`coffer_now() + ${CHALLENGE_LIFE}`.as('end')])
    .executeTakeFirstOrThrow()

export async function openChallenge(db: Db, challenge: string, { purpose, subject }: Challenged, visit: Visit) {
  const { origin, caller } = visit
  const session = caller.session?.id ?? null
  const by = caller.session ? `user:${caller.session.userId}` : `network:${callerNetwork(caller.from.address)}`
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

/** Ends the flow at the issuer. Returns the subject that it began with. */
export async function takeFlowSubject(db: Db, challenge: string, origin: string): Promise<string | undefined> {
  const { rows } = await sql<{ subject: string }>`delete from portal_challenge where challenge = ${challenge}
    and purpose = 'openid' and origin = ${origin} and expires_at > coffer_now() returning subject`.execute(db)
  return rows[0]?.subject
}

const isThis = (challenge: string, { purpose, subject, origin }: ChallengedAt) =>
  sql`challenge = ${challenge} and purpose = ${purpose} and subject = ${subject} and origin = ${origin}
    and expires_at > coffer_now()`

export async function isOpen(db: Db, challenge: string, challenged: ChallengedAt): Promise<boolean> {
  const { rows } = await sql`select from portal_challenge where ${isThis(challenge, challenged)}`.execute(db)
  return rows.length > 0
}

export async function takeChallenge(db: Db, challenge: string, challenged: ChallengedAt): Promise<boolean> {
  const { rows } = await sql`delete from portal_challenge where ${isThis(challenge, challenged)} returning 1`.execute(
    db,
  )
  return rows.length > 0
}
