import { Failure } from '@coffer/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import { callerNetwork } from '../../lib/caller-network.ts'
import { digestOfToken } from './sessions.ts'

/** Wrong passwords without a wait. */
const FREE_FOR_USER = 5
const FREE_FROM_NETWORK = 20
/** Seconds. Each wait is twice the previous one. */
const FIRST_WAIT = 60
const LONGEST_WAIT = 900
/** Since the last wrong password. */
const FORGOTTEN = sql<string>`interval '1 day'`

type Subject = { key: string; free: number }

/** An attempt counts as wrong before it is checked, so that concurrent ones gain nothing. Throws RATE_LIMITED. */
export async function beginAttempt(db: Db, userName: string, address: string | null) {
  const user = userSubject(userName)
  const network = address === null ? null : networkSubject(address)
  await sql`delete from portal_failed_password where failed_at < coffer_now() - ${FORGOTTEN}`.execute(db)
  const ofNetwork = network && (await count(db, network))
  if (ofNetwork && 'wait' in ofNetwork) throw tooMany(ofNetwork)
  const giveNetworkBack = async () => {
    if (network && ofNetwork) await giveBack(db, network, ofNetwork)
  }
  const ofUser = await count(db, user)
  if ('wait' in ofUser) {
    await giveNetworkBack()
    throw tooMany(ofUser)
  }
  return {
    /** Resets the user's count and reverts the network's. */
    async right(): Promise<void> {
      await giveNetworkBack()
      await db.deleteFrom('portal_failed_password').where('subject', '=', user.key).execute()
    },
    /** Reverts both counts: nothing was wrong. */
    async undecided(): Promise<void> {
      await giveNetworkBack()
      await giveBack(db, user, ofUser)
    },
  }
}

async function count(db: Db, { key, free }: Subject): Promise<{ failures: number } | { wait: number }> {
  const wait = (of: RawBuilder<unknown>) => sql`case when ${of} < ${free}::int then interval '0'
    else make_interval(secs => least(${FIRST_WAIT}::int * power(2, least(${of} - ${free}::int, 20)), ${LONGEST_WAIT}::int)) end`
  const counted = await sql<{ failures: number }>`insert into portal_failed_password as t values
      (${key}, 1, coffer_now(), coffer_now() + ${wait(sql`1`)})
    on conflict (subject) do update set failures = t.failures + 1, failed_at = coffer_now(),
      wait_until = coffer_now() + ${wait(sql`t.failures + 1`)} where t.wait_until <= coffer_now() returning failures`.execute(
    db,
  )
  const [row] = counted.rows
  if (row) return row
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from wait_until - coffer_now()))::int as seconds
    from portal_failed_password where subject = ${key}`.execute(db)
  return { wait: Math.max(rows[0]?.seconds ?? 1, 1) }
}

/** The wait of a later attempt stays. */
async function giveBack(db: Db, { key }: Subject, { failures }: { failures: number }): Promise<void> {
  await sql`update portal_failed_password set failures = failures - 1,
    wait_until = case when failures = ${failures}::int then coffer_now() else wait_until end
    where subject = ${key} and failures > 0`.execute(db)
}

function tooMany({ wait }: { wait: number }): Failure {
  const reported = 'Too many wrong passwords: wait, or sign in with a passkey, a wallet or a link'
  return new Failure('RATE_LIMITED', reported, { retryAfterSeconds: wait })
}

/** Names may be long, so their digests are stored. */
const userSubject = (userName: string): Subject => ({
  key: `user:${digestOfToken(userName.toLowerCase()).toString('base64url')}`,
  free: FREE_FOR_USER,
})
const networkSubject = (address: string): Subject => ({
  key: `network:${callerNetwork(address)}`,
  free: FREE_FROM_NETWORK,
})
