import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'

export function createGenesisStore(db: Db) {
  async function recall(chain: string, shown: string): Promise<string> {
    await sql`insert into chain_genesis (chain, hash) values (${chain}, ${shown}) on conflict do nothing`.execute(db)
    const known = db.selectFrom('chain_genesis').select('hash').where('chain', '=', chain)
    return (await known.executeTakeFirstOrThrow()).hash
  }

  /** For a restarted chain. */
  async function forget(chain: string): Promise<void> {
    await db.deleteFrom('chain_genesis').where('chain', '=', chain).execute()
  }

  return { recall, forget }
}
