import type { Db } from '../src/db/tables.ts'
import type { Address } from '../src/domain/address.ts'

const TABLES = [
  'history_transaction',
  'history_movement',
  'history_adjustment',
  'history_state',
  'history_token_account',
] as const

/** Equal texts mean equal histories. */
export async function dumpHistory(db: Db, wallet: Address): Promise<string[]> {
  const covered = db.selectFrom('wallet_coverage').selectAll().where('wallet', '=', wallet)
  const rows = await Promise.all([
    ...TABLES.map((table) => db.selectFrom(table).selectAll().where('wallet', '=', wallet).execute()),
    covered.where('purpose', 'in', ['history', 'native']).execute(),
  ])
  const texts = rows.map((ofTable, i) => ofTable.map((row) => `${TABLES[i] ?? 'coverage'} ${textOf(row)}`).sort())
  return texts.flat()
}

/** Without the time of pricing, and the ends of searches. */
const textOf = (row: object) =>
  JSON.stringify({ ...row, priced_at: null, heads: null }, (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
