import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'

export type GenesisStore = ReturnType<typeof createGenesisStore>

/** The first block of each chain as the first endpoint of it showed it. */
export function createGenesisStore(db: Kysely<Tables>) {
  /** The hash that is known; the given one, from now on, where none is. */
  async function recall(chain: string, shown: string): Promise<string> {
    await sql`insert into chain_genesis (chain, hash) values (${chain}, ${shown}) on conflict do nothing`.execute(db)
    const { hash } = await db
      .selectFrom('chain_genesis')
      .select('hash')
      .where('chain', '=', chain)
      .executeTakeFirstOrThrow()
    return hash
  }

  /** The chain was begun anew: the next endpoint that proves itself says what its first block is. */
  async function forget(chain: string): Promise<void> {
    await db.deleteFrom('chain_genesis').where('chain', '=', chain).execute()
  }

  return { recall, forget }
}
