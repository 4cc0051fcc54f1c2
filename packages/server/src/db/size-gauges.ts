import type pg from 'pg'
import type { GaugeSource } from '../lib/metrics.ts'

/** Sizes of what grows; NaN while the database does not answer. */
export function sizeGauges(pool: pg.Pool): GaugeSource[] {
  const gauge = (name: string, help: string, bytes: string): GaugeSource => ({
    name,
    help,
    async read() {
      const { rows } = await pool.query<{ bytes: number }>(`select (${bytes})::float8 as bytes`)
      return rows[0]?.bytes ?? Number.NaN
    },
  })
  const orUnknown = (source: GaugeSource): GaugeSource => ({
    ...source,
    read: async () => Promise.resolve(source.read()).catch(() => Number.NaN),
  })
  const sizeOf = (...tables: string[]) => tables.map((table) => `pg_total_relation_size('${table}')`).join(' + ')
  return [
    gauge('coffer_database_bytes', 'Size of the whole database', 'pg_database_size(current_database())'),
    gauge('coffer_ledger_bytes', 'Size of the credit ledger with its holds', sizeOf('credit_line', 'credit_charge')),
    gauge('coffer_wallet_bytes', 'Size of wallet reads and searched blocks', sizeOf('wallet_read', 'wallet_coverage')),
  ].map(orUnknown)
}
