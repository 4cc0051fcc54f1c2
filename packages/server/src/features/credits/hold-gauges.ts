import type pg from 'pg'
import type { GaugeSource } from '../../lib/metrics.ts'

/**
 * Gauges of open holds. A hold older than 135 s means that no process sweeps. NaN while the database does not answer.
 */
export function holdGauges(pool: pg.Pool): GaugeSource[] {
  const read = async (figure: string): Promise<number> => {
    const text = `select ${figure}::float8 as figure from credit_charge where state = 'pending'`
    const { rows } = await pool.query<{ figure: number }>(text)
    return rows[0]?.figure ?? Number.NaN
  }
  const gauge = (name: string, help: string, figure: string): GaugeSource => ({
    name,
    help,
    read: () => read(figure).catch(() => Number.NaN),
  })
  return [
    gauge('coffer_credit_holds', 'Calls whose credits are held', 'count(*)'),
    gauge(
      'coffer_credit_oldest_hold_seconds',
      'Age of the oldest hold; 0 without any',
      'coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)',
    ),
  ]
}
