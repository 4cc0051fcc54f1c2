import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** The genesis hash of each chain, as its first endpoint returned it. */
export function createGenesisStore(db: Kysely<Tables>) {
  /** Returns the stored hash; stores the given one if there is none. */
  async function recall(chain: string, shown: string): Promise<string> {
    await sql`insert into chain_genesis (chain, hash) values (${chain}, ${shown}) on conflict do nothing`.execute(db)
    const { hash } = await db
      .selectFrom('chain_genesis')
      .select('hash')
      .where('chain', '=', chain)
      .executeTakeFirstOrThrow()
    return hash
  }

  /** Forgets the hash of a chain that was restarted: the next endpoint that proves itself sets it. */
  async function forget(chain: string): Promise<void> {
    await db.deleteFrom('chain_genesis').where('chain', '=', chain).execute()
  }

  return { recall, forget }
}
