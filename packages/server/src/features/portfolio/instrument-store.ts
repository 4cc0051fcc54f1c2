import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { Instrument } from '../../protocols/adapter.ts'

export type InstrumentStore = ReturnType<typeof createInstrumentStore>

/** Contracts of protocols, found once for all wallets. `row` names a catalog row on its chain. */
export function createInstrumentStore(db: Kysely<Tables>) {
  async function find(
    chain: string,
    row: string,
  ): Promise<{ instruments: Instrument[]; discoveredAt: number } | undefined> {
    const discovery = await db
      .selectFrom('instrument_discovery')
      .select('discovered_at')
      .where('chain', '=', chain)
      .where('protocol_row', '=', row)
      .executeTakeFirst()
    if (!discovery) return undefined
    const rows = await db
      .selectFrom('instrument')
      .select(['address', 'role', 'fungible', 'underlyings', 'data'])
      .where('chain', '=', chain)
      .where('protocol_row', '=', row)
      .orderBy('address')
      .execute()
    const instruments = rows.map(
      ({ data, underlyings, ...instrument }): Instrument => ({
        ...instrument,
        underlyings: underlyings as EvmAddress[],
        ...(data !== null && { data: data as Record<string, string> }),
      }),
    )
    return { instruments, discoveredAt: discovery.discovered_at.getTime() }
  }

  /** Adds what a discovery found. Nothing is taken away: a market that a protocol delists can still hold deposits. */
  async function add(chain: string, row: string, instruments: readonly Instrument[]): Promise<void> {
    if (instruments.length === 0) return
    await db
      .insertInto('instrument')
      .values(
        instruments.map(({ address, role, fungible, underlyings, data }) => ({
          chain,
          protocol_row: row,
          address,
          role,
          fungible,
          underlyings: JSON.stringify(underlyings),
          data: data ? JSON.stringify(data) : null,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['chain', 'protocol_row', 'address']).doUpdateSet((eb) => ({
          role: eb.ref('excluded.role'),
          fungible: eb.ref('excluded.fungible'),
          underlyings: eb.ref('excluded.underlyings'),
          data: eb.ref('excluded.data'),
        })),
      )
      .execute()
  }

  async function markDiscovered(chain: string, row: string): Promise<void> {
    await sql`
      insert into instrument_discovery (chain, protocol_row, discovered_at) values (${chain}, ${row}, now())
      on conflict (chain, protocol_row) do update set discovered_at = excluded.discovered_at`.execute(db)
  }

  return { find, add, markDiscovered }
}
