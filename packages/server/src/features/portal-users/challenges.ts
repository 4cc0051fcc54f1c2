import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

type Db = Kysely<Tables> | Transaction<Tables>

/** What a challenge is for, and whom: the digest of a link, the id of a user, the address of a wallet; empty for a sign-in. */
export type Challenged = { purpose: Tables['portal_challenge']['purpose']; subject: string }

/** Seconds for which a challenge is open. */
export const CHALLENGE_SECONDS = 300
const CHALLENGE_LIFE = sql<string>`interval '${sql.raw(String(CHALLENGE_SECONDS))} seconds'`
/** Challenges that strangers may have open at once; the oldest go. */
const CHALLENGES_KEPT = 10_000

/** Now and when a challenge that is made now ends. */
export async function timesOfChallenge(db: Db): Promise<{ now: Date; end: Date }> {
  const { rows } = await sql<{ now: Date; end: Date }>`
    select coffer_now() as now, coffer_now() + ${CHALLENGE_LIFE} as end`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select without from has one row')
  return row
}

export async function openChallenge(db: Db, challenge: string, { purpose, subject }: Challenged): Promise<void> {
  await sql`insert into portal_challenge (challenge, purpose, subject, expires_at)
    values (${challenge}, ${purpose}, ${subject}, coffer_now() + ${CHALLENGE_LIFE})`.execute(db)
  await sql`delete from portal_challenge where expires_at < coffer_now() or expires_at < (
    select expires_at from portal_challenge order by expires_at desc offset ${CHALLENGES_KEPT} limit 1)`.execute(db)
}

/** The subject of an open challenge of a purpose, which is closed now; undefined where there is none. */
export async function takeSubject(
  db: Db,
  challenge: string,
  purpose: Challenged['purpose'],
): Promise<string | undefined> {
  const { rows } = await sql<{ subject: string }>`delete from portal_challenge
    where challenge = ${challenge} and purpose = ${purpose} and expires_at > coffer_now() returning subject`.execute(db)
  return rows[0]?.subject
}

const isThis = (challenge: string, { purpose, subject }: Challenged) =>
  sql`challenge = ${challenge} and purpose = ${purpose} and subject = ${subject} and expires_at > coffer_now()`

/** Whether the challenge is open for this. */
export async function isOpen(db: Db, challenge: string, challenged: Challenged): Promise<boolean> {
  const { rows } = await sql`select from portal_challenge where ${isThis(challenge, challenged)}`.execute(db)
  return rows.length > 0
}

/** Whether the challenge was open for this; it is closed now. */
export async function takeChallenge(db: Db, challenge: string, challenged: Challenged): Promise<boolean> {
  const { rows } = await sql`delete from portal_challenge where ${isThis(challenge, challenged)} returning 1`.execute(
    db,
  )
  return rows.length > 0
}
