import type { Kysely } from 'kysely'
import type { RefusalStore } from '../chains/stores.ts'
import type { Tables } from '../db/tables.ts'

export function createRefusingTokenStore(db: Kysely<Tables>): RefusalStore {
  return {
    async find(chain) {
      const rows = await db.selectFrom('refusing_token').selectAll().where('chain', '=', chain).execute()
      return new Map(rows.map(({ address, since }) => [address, since.getTime()]))
    },

    async add(chain, tokens, since) {
      if (tokens.length === 0) return
      await db
        .insertInto('refusing_token')
        .values(tokens.map((address) => ({ chain, address, since: new Date(since) })))
        .onConflict((conflict) => conflict.columns(['chain', 'address']).doNothing())
        .execute()
    },

    async forget(chain, tokens) {
      if (tokens.length === 0) return
      await db.deleteFrom('refusing_token').where('chain', '=', chain).where('address', 'in', tokens).execute()
    },
  }
}
