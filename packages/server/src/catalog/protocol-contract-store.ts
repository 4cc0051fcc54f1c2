import { type Kysely, sql } from 'kysely'
import type { ProtocolContractStore, StoredContract, UntrustedContractStore } from '../chains/stores.ts'
import type { Tables } from '../db/tables.ts'
import type { Address } from '../domain/address.ts'
import type { EvmAddress } from '../domain/evm-address.ts'

export function createProtocolContractStore<A extends Address>(db: Kysely<Tables>): ProtocolContractStore<A> {
  async function find(
    chain: string,
    row: string,
  ): Promise<{ protocolContracts: StoredContract<A>[]; discoveredAt: number } | undefined> {
    const discovery = await db
      .selectFrom('instrument_discovery')
      .select('discovered_at')
      .where('chain', '=', chain)
      .where('protocol_row', '=', row)
      .executeTakeFirst()
    if (!discovery) return undefined
    const rows = await db
      .selectFrom('instrument')
      .select(['address', 'role', 'fungible', 'underlyings', 'also_shown', 'data'])
      .where('chain', '=', chain)
      .where('protocol_row', '=', row)
      .where('dropped_at', 'is', null)
      .orderBy('address')
      .execute()
    return { protocolContracts: rows.map(protocolContractOf<A>), discoveredAt: discovery.discovered_at.getTime() }
  }

  async function findAmong(chain: string, addresses: readonly Address[]): Promise<Map<string, StoredContract<A>[]>> {
    const rows = await db
      .selectFrom('instrument')
      .select(['protocol_row', 'address', 'role', 'fungible', 'underlyings', 'also_shown', 'data'])
      .where('chain', '=', chain)
      .where('address', '=', sql<EvmAddress>`any (${addresses})`)
      .where('dropped_at', 'is', null)
      .execute()
    const byRow = Map.groupBy(rows, ({ protocol_row }) => protocol_row)
    return new Map(
      [...byRow].map(([row, found]) => [row, found.map(({ protocol_row: _, ...one }) => protocolContractOf<A>(one))]),
    )
  }

  /** A delisted market can still hold deposits. */
  async function add(chain: string, row: string, protocolContracts: readonly StoredContract<A>[]): Promise<void> {
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
  }

  async function markDiscovered(chain: string, row: string): Promise<void> {
    await sql`
      insert into instrument_discovery (chain, protocol_row, discovered_at) values (${chain}, ${row}, now())
      on conflict (chain, protocol_row) do update set discovered_at = excluded.discovered_at`.execute(db)
  }

  return { find, findAmong, add, markDiscovered }
}

type Row = Pick<StoredContract<Address>, 'address' | 'role' | 'fungible'> & {
  underlyings: unknown
  also_shown: unknown
  data: unknown
}

function protocolContractOf<A extends Address>({
  address,
  data,
  underlyings,
  also_shown: alsoShown,
  ...protocolContract
}: Row): StoredContract<A> {
  return {
    ...protocolContract,
    address: address as A,
    underlyings: underlyings as A[],
    ...((alsoShown as A[]).length > 0 && { alsoShown: alsoShown as A[] }),
    ...(data !== null && { data: data as Record<string, string> }),
  }
}

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
