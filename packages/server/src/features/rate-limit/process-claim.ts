import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { LOCKS } from '../../db/locks.ts'
import { StartupError } from '../../lib/startup-error.ts'

/** The database releases the lock of a killed process after a moment. */
const defaultPatienceMs = 5_000
const pollMs = 100
const reclaimMs = 1_000

/** `alone`: counts rates in memory. */
export type Claim = 'alone' | 'with others'

const statements: Record<Claim, string> = {
  alone: 'select pg_try_advisory_lock($1) as got',
  'with others': 'select pg_try_advisory_lock_shared($1) as got',
}

const refusals: Record<Claim, string> = {
  alone:
    'Another API process uses this database: stop it, or set COFFER_RATE_LIMIT_STORE=postgres for both, so that they share their rate limits.',
  'with others':
    'An API process that counts its rate limits in memory uses this database: stop it, or set COFFER_RATE_LIMIT_STORE=postgres for it too.',
}

/** A lock proves that this API process is alone on the database, or that all share their rate limits. */
export async function claimProcess(options: {
  pool: pg.Pool
  claim: Claim
  log: (message: string) => void
  patienceMs?: number
}): Promise<{ release(): Promise<void> }> {
  const { pool, claim, log, patienceMs = defaultPatienceMs } = options
  let released = false
  let held: pg.PoolClient | undefined

  const keep = (client: pg.PoolClient) => {
    held = client
    client.on('error', () => {
      // A released client may still emit an error.
      if (held !== client) return
      held = undefined
      client.release(true)
      void reclaim()
    })
  }

  const reclaim = async () => {
    log('the database connection that proves how this API process counts rates was lost; it is opened again')
    while (!released && !held) {
      const client = await tryClaim(pool, claim).catch(() => undefined)
      if (client) keep(client)
      else await delay(reclaimMs, undefined, { ref: false })
    }
    if (released) held?.release(true)
  }

  keep(await claimInTime(pool, claim, patienceMs))
  return {
    async release() {
      released = true
      const client = held
      held = undefined
      client?.release(true)
    },
  }
}

async function claimInTime(pool: pg.Pool, claim: Claim, patienceMs: number): Promise<pg.PoolClient> {
  const until = performance.now() + patienceMs
  for (;;) {
    const client = await tryClaim(pool, claim)
    if (client) return client
    if (performance.now() >= until) throw new StartupError(refusals[claim])
    await delay(pollMs)
  }
}

async function tryClaim(pool: pg.Pool, claim: Claim): Promise<pg.PoolClient | undefined> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ got: boolean }>(statements[claim], [LOCKS.apiProcess])
    if (rows[0]?.got) return client
    client.release()
    return undefined
  } catch (error) {
    client.release(true)
    throw error
  }
}
