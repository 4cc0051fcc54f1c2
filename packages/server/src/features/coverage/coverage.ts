import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { type BlockRange, mergeRanges } from '../../domain/block-ranges.ts'

/** A wallet on a chain. */
export type Searched<A extends Address = Address> = { wallet: A; chain: string }

export type CoverageTable =
  | 'approval_coverage'
  | 'wallet_log_coverage'
  | 'wallet_program_coverage'
  | 'history_coverage'
  | 'history_native_coverage'

/** Which blocks were searched for a wallet, for one purpose: the table. Disjoint ranges, in order of blocks. */
export function createCoverage(db: Kysely<Tables>, table: CoverageTable) {
  async function find({ wallet, chain }: Searched, trx: Kysely<Tables> = db): Promise<BlockRange[]> {
    const rows = await trx
      .selectFrom(table)
      .select(['from_block', 'to_block'])
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .orderBy('from_block')
      .execute()
    return rows.map((row) => ({ fromBlock: row.from_block, toBlock: row.to_block }))
  }

  /**
   * Changes what was found of a wallet together with what counts as searched: a range is never covered without what was
   * found in it, whoever else is searching. `change` answers the ranges that are covered from now on besides the others.
   */
  function update(of: Searched, change: (trx: Transaction<Tables>) => Promise<readonly BlockRange[]>): Promise<void> {
    return db.transaction().execute(async (trx) => {
      await lock(trx, of)
      await extend(trx, of, await change(trx))
    })
  }

  /** These blocks count as searched from now on. In a transaction that holds the lock. */
  async function extend(trx: Transaction<Tables>, of: Searched, ranges: readonly BlockRange[]): Promise<void> {
    if (ranges.length > 0) await write(trx, of, mergeRanges([...(await find(of, trx)), ...ranges]))
  }

  /** Blocks from `fromBlock` on count as not searched any more. In a transaction that holds the lock. */
  async function forget(trx: Transaction<Tables>, of: Searched, fromBlock: bigint): Promise<void> {
    const kept = (await find(of, trx)).flatMap((range) => {
      if (range.fromBlock >= fromBlock) return []
      return [{ fromBlock: range.fromBlock, toBlock: range.toBlock < fromBlock ? range.toBlock : fromBlock - 1n }]
    })
    await write(trx, of, kept)
  }

  async function lock(trx: Transaction<Tables>, { wallet, chain }: Searched): Promise<void> {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`${table} ${chain} ${wallet}`}, 0))`.execute(trx)
  }

  async function write(trx: Transaction<Tables>, of: Searched, ranges: readonly BlockRange[]): Promise<void> {
    await trx.deleteFrom(table).where('wallet', '=', of.wallet).where('chain', '=', of.chain).execute()
    const rows = ranges.map(({ fromBlock, toBlock }) => ({ ...of, from_block: fromBlock, to_block: toBlock }))
    if (rows.length > 0) await trx.insertInto(table).values(rows).execute()
  }

  return { find, update, extend, forget, lock }
}
