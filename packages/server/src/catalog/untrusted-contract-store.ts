import type { Kysely } from 'kysely'
import type { UntrustedContractStore } from '../chains/stores.ts'
import type { Tables } from '../db/tables.ts'

export function createUntrustedContractStore(db: Kysely<Tables>): UntrustedContractStore {
  return {
    async addresses({ chain, id }) {
      const rows = await db
        .selectFrom('instrument')
        .select('address')
        .where('chain', '=', chain)
        .where('protocol_row', '=', id)
        .orderBy('address')
        .execute()
      return rows.map(({ address }) => address)
    },

    async drop({ chain, id }, dropped) {
      if (dropped.length === 0) return
      await db
        .updateTable('instrument')
        .set({ dropped_at: new Date() })
        .where('chain', '=', chain)
        .where('protocol_row', '=', id)
        .where('address', 'in', dropped)
        .execute()
    },
  }
}
