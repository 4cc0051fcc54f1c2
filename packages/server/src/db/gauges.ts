import type pg from 'pg'
import type { GaugeSource } from '../lib/metrics.ts'

type Described = { name: string; help: string; figure: string }

export function sqlGauge(pool: pg.Pool, { name, help, figure }: Described): GaugeSource {
  const read = async () =>
    (await pool.query<{ figure: number }>(`select (${figure})::float8 as figure`)).rows[0]?.figure
  return { name, help, read: async () => (await read().catch(() => undefined)) ?? Number.NaN }
}

const sizeOf = (...tables: string[]) => tables.map((table) => `pg_total_relation_size('${table}')`).join(' + ')

const SIZES: readonly Described[] = [
  { name: 'coffer_database_bytes', help: 'Size of the whole database', figure: 'pg_database_size(current_database())' },
  {
    name: 'coffer_ledger_bytes',
    help: 'Size of the credit ledger with its holds',
    figure: sizeOf('credit_line', 'credit_charge'),
  },
  {
    name: 'coffer_wallet_bytes',
    help: 'Size of wallet reads and searched blocks',
    figure: sizeOf('wallet_read', 'wallet_coverage'),
  },
]

export const sizeGauges = (pool: pg.Pool): GaugeSource[] => SIZES.map((size) => sqlGauge(pool, size))
