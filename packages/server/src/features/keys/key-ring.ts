import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { Caller } from '../../http/gates.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import { createWorkQueue } from '../../lib/work-queue.ts'
import { isWellFormedKey } from './key-format.ts'
import { digestOfKey, type Peppers } from './peppers.ts'

export type KeyRing = ReturnType<typeof createKeyRing>

type SeenKey = { holder: Caller; noteUseAt: number }

/** Revoked keys and changed accounts take effect within 5 s: this plus one query. */
const trustMs = 4_000
/** In the background, so that no request waits. */
const refreshMs = 2_000
const noteUseMs = 60_000
/** Some 500 bytes each. */
const keysKept = 50_000
const maxBatch = 500
/** More than are revoked within `trustMs`. */
const revokedKept = 10_000

/** `clock` must be monotonic: a wall clock set back would keep revoked keys. A flood costs one query at a time. */
export function createKeyRing(options: { db: Db; peppers: Peppers; clock: Clock; log: (message: string) => void }) {
  const { db, peppers, clock, log } = options
  const revoked = new BoundedMap<string, true>(revokedKept)
  const kept = createKept<SeenKey | undefined>({ most: keysKept, clock, freshMs: refreshMs, goodMs: trustMs })

  const lookups = createWorkQueue<string, Caller | undefined>({
    maxBatch,
    run: (keys) => findHolders(db, peppers, keys),
  })
  const uses = createWorkQueue<string, void>({ maxBatch, run: (ids) => noteUses(db, ids) })

  const look = (key: string) => async (before: SeenKey | undefined) => {
    const holder = await lookups.push(key)
    return holder && { holder, noteUseAt: before?.noteUseAt ?? 0 }
  }

  const refresh = (key: string) => (before: SeenKey | undefined) =>
    look(key)(before).catch((error: unknown) => {
      log(`API keys could not be read; if this lasts, requests are refused as overloaded: ${String(error)}`)
      throw error
    })

  const used = (seen: SeenKey): Caller | undefined => {
    if (revoked.get(seen.holder.keyId)) return undefined
    if (clock.now() < seen.noteUseAt) return seen.holder
    seen.noteUseAt = clock.now() + noteUseMs
    uses
      .push(seen.holder.keyId)
      .catch((error: unknown) => log(`the last use of API keys could not be stored: ${String(error)}`))
    return seen.holder
  }

  const findAnew = async (key: string, index: string) => {
    const seen = await kept.get(index, look(key))
    return seen && used(seen)
  }

  return {
    /** Synchronous for a key used in the last seconds. Rejects with the database's error. */
    find(key: string): Caller | undefined | Promise<Caller | undefined> {
      const index = hash('sha256', key, 'base64url')
      const seen = kept.find(index, refresh(key))
      if (seen) return used(seen)
      return isWellFormedKey(key) ? findAnew(key, index) : undefined
    },
    /** The caller has stored the revocation. */
    refuse(keyId: string): void {
      revoked.set(keyId, true)
    },
    async drain(): Promise<void> {
      await Promise.all([lookups.drain(), uses.drain()])
    },
  }
}

async function findHolders(db: Db, peppers: Peppers, keys: readonly string[]): Promise<(Caller | undefined)[]> {
  const digests = keys.map((key) => peppers.map((pepper) => digestOfKey(key, pepper)))
  const rows = await db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .select(['api_key.id as key_id', 'api_key.digest', 'account.id', 'account.plan', 'account.entitlements'])
    .select(['account.rate_limit_default', 'account.rate_limit_portfolio', 'account.rate_limit_beacon'])
    .where('api_key.digest', '=', (expression) => expression.fn.any(sql<Buffer[]>`${digests.flat()}::bytea[]`))
    .where(sql<boolean>`(api_key.revoked_at is null or api_key.revoked_at > now())`)
    .execute()
  const holders = new Map(
    rows.map((row): [string, Caller] => {
      const { rate_limit_default, rate_limit_portfolio, rate_limit_beacon, plan, entitlements } = row
      const rateLimits = {
        ...(rate_limit_default !== null && { default: rate_limit_default }),
        ...(rate_limit_portfolio !== null && { portfolio: rate_limit_portfolio }),
        ...(rate_limit_beacon !== null && { beacon: rate_limit_beacon }),
      }
      const holder = { accountId: String(row.id), keyId: String(row.key_id), plan, entitlements, rateLimits }
      return [row.digest.toString('base64'), holder]
    }),
  )
  return digests.map((ofKey) => ofKey.map((digest) => holders.get(digest.toString('base64'))).find(Boolean))
}

async function noteUses(db: Db, keyIds: readonly string[]): Promise<undefined[]> {
  await sql`update api_key set last_used_at = now() where id = any(${keyIds}::bigint[])
    and (last_used_at is null or last_used_at <= now() - interval '1 minute')`.execute(db)
  return keyIds.map(() => undefined)
}
