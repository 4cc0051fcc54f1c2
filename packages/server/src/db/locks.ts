import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * The keys of all advisory locks, in the order in which locks are taken: who holds one takes only later ones. Locks of
 * rows come after them, those of accounts last.
 */
export const LOCKS = {
  /** The embedded PostgreSQL: each process that uses it shares the lock, and the last one to leave stops the server. */
  embeddedServer: '7001',
  /** Migrations, held by Kysely. A session that a pooler never gave back may hold it for ever. */
  migrations: '3853314791062309107',
  /** API processes: held alone by one that counts rates in memory, shared by those that count them in the database. */
  apiProcess: '7002',
  /** Whether a recurring job is due: the first half of a key, the second is a hash of the job's name. */
  schedule: 7004,
  /** Moving events out of the outbox, by one process at a time. */
  events: '7005',
  /** A wallet's coverage for one purpose together with the results; of several, in the order of their texts. */
  coverage: (purpose: string, chain: string, wallet: string) => `coverage ${purpose} ${chain} ${wallet}`,
  /** Notes of changes of a wallet's history, so that they are in the order of their commits. */
  history: (wallet: string) => `history ${wallet}`,
} as const

/** Takes locks whose keys are texts, in their order, until the transaction ends. */
export async function lockTexts(trx: Kysely<Tables>, texts: readonly string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(key, 0))
    from (select key from unnest(${texts}::text[]) as key order by key) as ordered`.execute(trx)
}
