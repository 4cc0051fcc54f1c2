import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** In the order of locking: a holder takes only later ones. Row locks follow, those of accounts last. */
export const LOCKS = {
  /** Shared by processes; the last one stops the server. */
  embeddedServer: '7001',
  /** Held by the transaction that migrates. The number is Kysely's, whose older versions may migrate meanwhile. */
  migrations: '3853314791062309107',
  /** First half of a key; the second is a hash of the job's name. */
  schedule: 7004,
  events: '7005',
  /** Several in the order of their texts. */
  coverage: (purpose: string, chain: string, wallet: string) => `coverage ${purpose} ${chain} ${wallet}`,
  /** Keeps notes of changes in commit order. */
  history: (wallet: string) => `history ${wallet}`,
} as const

export async function lockTexts(trx: Db, texts: readonly string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(key, 0))
    from (select key from unnest(${texts}::text[]) as key order by key) as ordered`.execute(trx)
}
