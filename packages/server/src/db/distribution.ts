import { type Kysely, sql } from 'kysely'
import { StartupError } from '../lib/startup-error.ts'

/**
 * By table, the column that places its rows on a worker of Citus. Rows of one wallet, or of one accounting scope, lie
 * together. Other tables stay on the coordinator. A table comes after those it refers to.
 */
export const DISTRIBUTED: Readonly<Record<string, 'wallet' | 'address' | 'scope'>> = {
  wallet_read: 'wallet',
  wallet_token: 'wallet',
  wallet_key: 'wallet',
  wallet_due_contract: 'wallet',
  wallet_program: 'wallet',
  wallet_coverage: 'wallet',
  wallet_use: 'wallet',
  approval: 'wallet',
  history_transaction: 'wallet',
  history_movement: 'wallet',
  history_adjustment: 'wallet',
  history_change: 'wallet',
  history_sync: 'wallet',
  history_state: 'wallet',
  history_gap: 'wallet',
  history_token_account: 'wallet',
  history_set_aside: 'wallet',
  wallet_snapshot: 'address',
  snapshot_early_read: 'wallet',
  wallet_point: 'wallet',
  accounting: 'scope',
  accounting_part: 'scope',
  accounting_result: 'scope',
}

/** Any order of statements is allowed in the transaction then: a worker sees each in turn. */
export async function prepareDistribution(trx: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(trx)
  if (rows.length === 0) {
    throw new StartupError(
      'The database has no extension citus, which COFFER_DATABASE=citus needs: run create extension citus in it, on the coordinator and on each worker, and add the workers with citus_add_node.',
    )
  }
  await sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`.execute(trx)
}

/** Moves the rows of tables that are not distributed yet. */
export async function distributeTables(trx: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select logicalrelid::regclass::text as name from pg_dist_partition`.execute(trx)
  const done = new Set(rows.map(({ name }) => name))
  const left = Object.entries(DISTRIBUTED).filter(([table]) => !done.has(table))
  // Workers evaluate it.
  if (left.length > 0) await sql`select create_distributed_function('coffer_now()')`.execute(trx)
  for (const [table, column] of left) {
    const lead = column === 'scope' ? 'accounting' : 'wallet_read'
    await sql`select create_distributed_table(${table}, ${column}, colocate_with => ${table === lead ? 'none' : lead})`.execute(
      trx,
    )
  }
  return left.map(([table]) => table)
}
