import { type Selectable, sql } from 'kysely'
import type { ProtocolContractStore, StoredContract, UntrustedContractStore } from '../chains/stores.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Address } from '../domain/address.ts'
import type { EvmAddress } from '../domain/evm-address.ts'

export function createProtocolContractStore<A extends Address>(db: Db): ProtocolContractStore<A> {
  const listedOn = (chain: string) =>
    db.selectFrom('instrument').selectAll().where('chain', '=', chain).where('dropped_at', 'is', null)
  return {
    async find(chain, row) {
      const discovery = await db
        .selectFrom('instrument_discovery')
        .select('discovered_at')
        .where('chain', '=', chain)
        .where('protocol_row', '=', row)
        .executeTakeFirst()
      if (!discovery) return undefined
      const rows = await listedOn(chain).where('protocol_row', '=', row).orderBy('address').execute()
      return { protocolContracts: rows.map(protocolContractOf<A>), discoveredAt: discovery.discovered_at.getTime() }
    },

    async findAmong(chain, addresses) {
      const rows = await listedOn(chain).where('address', '=', sql<EvmAddress>`any (${addresses})`).execute()
      const byRow = Map.groupBy(rows, ({ protocol_row }) => protocol_row)
      return new Map([...byRow].map(([row, found]) => [row, found.map(protocolContractOf<A>)]))
    },

    /** A delisted market can still hold deposits. */
    async add(chain, row, protocolContracts) {
      if (protocolContracts.length === 0) return
      await db
        .insertInto('instrument')
        .values(
          protocolContracts.map(({ address, role, fungible, underlyings, alsoShown = [], data }) => ({
            chain,
            protocol_row: row,
            address: address as EvmAddress,
            role,
            fungible,
            underlyings: JSON.stringify(underlyings),
            also_shown: JSON.stringify(alsoShown),
            data: data ? JSON.stringify(data) : null,
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(['chain', 'protocol_row', 'address']).doUpdateSet((eb) => ({
            role: eb.ref('excluded.role'),
            fungible: eb.ref('excluded.fungible'),
            underlyings: eb.ref('excluded.underlyings'),
            also_shown: eb.ref('excluded.also_shown'),
            data: eb.ref('excluded.data'),
            dropped_at: null,
          })),
        )
        .execute()
    },

    async markDiscovered(chain, row) {
      await sql`
        insert into instrument_discovery (chain, protocol_row, discovered_at) values (${chain}, ${row}, now())
        on conflict (chain, protocol_row) do update set discovered_at = excluded.discovered_at`.execute(db)
    },
  }
}

function protocolContractOf<A extends Address>(row: Selectable<Tables['instrument']>): StoredContract<A> {
  const { address, role, fungible, underlyings, also_shown: alsoShown, data } = row
  return {
    address: address as Address as A,
    role,
    fungible,
    underlyings: underlyings as A[],
    ...((alsoShown as A[]).length > 0 && { alsoShown: alsoShown as A[] }),
    ...(data !== null && { data: data as Record<string, string> }),
  }
}

export function createUntrustedContractStore(db: Db): UntrustedContractStore {
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
