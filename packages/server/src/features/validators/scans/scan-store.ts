import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../../db/tables.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { groupMissing, type MissingRow, rangesOf } from '../ranges.ts'
import type { Reach, ValidatorSet } from '../validator-store.ts'

type ScanKind = 'withdrawals' | 'deposits'

export type MissingBlocks = BlockRange & { validators: ValidatorSet }

export type SearchedBlocks<T> = MissingBlocks & { rows: readonly T[] }

export type Scan = { firstBlock: bigint; finalBlock: bigint; finalSlot: number }

/** Newest first. `searchedToSlot`: null if an earlier part is missing. */
export type ScannedPage<T> = { rows: T[]; totalRows: number; searchedToSlot: number | null }

const BATCH = 1_000

export type ScanStore = ReturnType<typeof createScanStore>

export function createScanStore(db: Db, kind: ScanKind, reach: Reach) {
  const own = sql.ref(`validator.${kind}_covered`)

  const isWhole = (coverage: RawBuilder<unknown>) =>
    sql<boolean>`${coverage} @> int8range(least(scan.first_block, scan.final_block + 1), scan.final_block + 1)`
  const isCovered = isWhole(sql`${own} + scan.covered`)
  const isCoveredOfAll = isWhole(sql`scan.covered`)

  /** Disjoint, newest first. Empty before `begin`. */
  async function missing({ firstBlock, finalBlock }: Scan): Promise<MissingBlocks[]> {
    if (firstBlock > finalBlock) return []
    const whole = sql`int8multirange(int8range(${firstBlock}, ${finalBlock + 1n}))`
    return reach === 'all' ? missingOfAll(whole) : missingOfTracked(whole)
  }

  async function missingOfAll(whole: RawBuilder<unknown>): Promise<MissingBlocks[]> {
    const { rows } = await sql<{ missing: [number, number][] }>`
      select ${rangesOf(sql`${whole} - covered`)} as missing from validator_scan where kind = ${kind}`.execute(db)
    return rows
      .flatMap((row) => row.missing.toReversed())
      .map(([from, to]) => ({ fromBlock: BigInt(from), toBlock: BigInt(to), validators: 'all' }))
  }

  async function missingOfTracked(whole: RawBuilder<unknown>): Promise<MissingBlocks[]> {
    const { rows } = await sql<MissingRow>`
      select index, ${rangesOf(sql`${whole} - ${own} - scan.covered`)} as missing
      from validator join validator_scan scan on scan.kind = ${kind}
      where tracked and not ${own} + scan.covered @> ${whole}`.execute(db)
    return groupMissing(rows).map(({ from, to, validators }) => ({
      fromBlock: BigInt(from),
      toBlock: BigInt(to),
      validators,
    }))
  }

  const coverageOf = (validators: ValidatorSet) =>
    validators === 'all'
      ? { table: sql.table('validator_scan'), key: sql.ref('kind'), column: sql.ref('covered'), keys: [kind] }
      : { table: sql.table('validator'), key: sql.ref('index'), keys: validators, column: sql.ref(`${kind}_covered`) }

  function save<T>(
    { fromBlock, toBlock, validators, rows }: SearchedBlocks<T>,
    insert: (trx: Trx, rows: readonly T[]) => Promise<unknown>,
  ): Promise<void> {
    const { table, key, column, keys } = coverageOf(validators)
    return db.transaction().execute(async (trx) => {
      // A fixed lock order prevents deadlocks.
      await sql`select from ${table} where ${key} = any(${keys}) order by ${key} for update`.execute(trx)
      for (const page of pagesOf(rows, BATCH)) await insert(trx, page)
      await sql`update ${table} set ${column} = ${column} + int8multirange(int8range(${fromBlock}, ${toBlock}, '[]'))
        where ${key} = any(${keys})`.execute(trx)
    })
  }

  async function find(): Promise<Scan | undefined> {
    const row = await db.selectFrom('validator_scan').selectAll().where('kind', '=', kind).executeTakeFirst()
    return row && { firstBlock: row.first_block, finalBlock: row.final_block, finalSlot: row.final_slot }
  }

  /** The final block never goes back. */
  async function begin({ firstBlock, finalBlock, finalSlot }: Scan): Promise<void> {
    await sql`
      insert into validator_scan (kind, first_block, final_block, final_slot)
      values (${kind}, ${firstBlock}, ${finalBlock}, ${finalSlot})
      on conflict (kind) do update
        set first_block = excluded.first_block, final_block = excluded.final_block, final_slot = excluded.final_slot
        where validator_scan.final_block < excluded.final_block`.execute(db)
  }

  async function searchedToSlot(trx: Db, validator: number): Promise<number | null> {
    const row = await trx
      .selectFrom('validator')
      .innerJoin('validator_scan as scan', (join) => join.on('scan.kind', '=', kind))
      .where(isCovered)
      .where('validator.index', '=', validator)
      .select('scan.final_slot')
      .executeTakeFirst()
    return row?.final_slot ?? null
  }

  return { missing, save, find, begin, searchedToSlot, isCovered, isCoveredOfAll }
}

export function inOneView<T>(db: Db, read: (trx: Db) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}
