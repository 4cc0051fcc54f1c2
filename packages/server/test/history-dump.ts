import type { Kysely } from 'kysely'
import type { Tables } from '../src/db/tables.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'

/** All that is stored of a wallet's history, as text: two that are equal came to the same, by whatever way. */
export async function dumpHistory(db: Kysely<Tables>, wallet: EvmAddress): Promise<string[]> {
  const of = { wallet }
  const transactions = await db
    .selectFrom('history_transaction')
    .selectAll()
    .where('wallet', '=', of.wallet)
    .orderBy('chain')
    .orderBy('block')
    .orderBy('tx_index')
    .execute()
  const movements = await db
    .selectFrom('history_movement')
    .selectAll()
    .where('wallet', '=', of.wallet)
    .orderBy('chain')
    .orderBy('block')
    .orderBy('tx_index')
    .orderBy('place')
    .execute()
  const adjustments = await db
    .selectFrom('history_adjustment')
    .selectAll()
    .where('wallet', '=', of.wallet)
    .orderBy('chain')
    .orderBy('block')
    .orderBy('token')
    .execute()
  const coverages = await Promise.all(
    (['history_coverage', 'history_native_coverage', 'history_state'] as const).map((table) =>
      db.selectFrom(table).selectAll().where('wallet', '=', of.wallet).orderBy('chain').execute(),
    ),
  )
  const rows = [transactions, movements, adjustments, ...coverages].flat()
  return rows.map(({ ...row }) => JSON.stringify({ ...row, priced_at: null }, (_, value) => asText(value)))
}

const asText = (value: unknown) => (typeof value === 'bigint' ? value.toString() : value)
