import { sql } from 'kysely'
import { createStatistics } from '../../db/statistics.ts'
import type { Db, Trx } from '../../db/tables.ts'
import type { BeaconTimes, EpochRange } from '../../domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../domain/validator-epoch.ts'
import { pagesOf } from '../../lib/pages.ts'
import { asRange, daysOf, groupMissing, type MissingRow, rangesOf, rangeTable } from './ranges.ts'
import { type FindOutcomes, lineOf, outcomeOf, sumOutcomes } from './registry/outcome-chunk.ts'
import { reportMissed } from './report-missed.ts'

/** `pubkey` as `0x` and 96 lower-case hex digits. */
export type Validator = { index: number; pubkey: string }

export type Reach = 'tracked' | 'all'

/** Ascending indices, or all present and future validators. */
export type ValidatorSet = readonly number[] | 'all'

/** Ascending. `coveredOfAll`: indexed for all validators. `isTracked`: requested. */
export type KnownValidator = Validator & { isTracked: boolean; covered: EpochRange[]; coveredOfAll: EpochRange[] }

/** Without a row in an epoch, a validator had neither a balance nor a duty. */
export type IndexedEpochs = EpochRange & { validators: readonly number[]; rows: readonly ValidatorEpoch[] }

export type ValidatorStore = ReturnType<typeof createValidatorStore>

const BATCH = 1_000

export function createValidatorStore(db: Db) {
  const statistics = createStatistics(db, ['validator_epoch', 'validator_day'])

  /** Idempotent. */
  async function track({ index, pubkey }: Validator): Promise<KnownValidator> {
    await db
      .insertInto('validator')
      .values({ index, pubkey })
      .onConflict((conflict) => conflict.column('index').doUpdateSet({ tracked: true }))
      .execute()
    const tracked = await find(index)
    if (tracked?.pubkey !== pubkey) throw new Error(`validator ${index} is stored with another public key`)
    return tracked
  }

  async function register(validators: readonly Validator[]): Promise<void> {
    for (const page of pagesOf(validators, BATCH)) {
      await db
        .insertInto('validator')
        .values(page.map(({ index, pubkey }) => ({ index, pubkey, tracked: false })))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
  }

  async function find(by: number | string): Promise<KnownValidator | undefined> {
    const covered = rangesOf(sql`validator.covered + validator_registry.covered`).as('covered')
    const coveredOfAll = rangesOf(sql.ref('validator_registry.covered')).as('coveredOfAll')
    const query = db
      .selectFrom(['validator', 'validator_registry'])
      .select(['validator.index', 'validator.pubkey', 'validator.tracked as isTracked', covered, coveredOfAll])
    const row = await (typeof by === 'number'
      ? query.where(sql<boolean>`validator.index = ${by}::bigint`)
      : query.where('validator.pubkey', '=', by)
    ).executeTakeFirst()
    return row && { ...row, covered: row.covered.map(asRange), coveredOfAll: row.coveredOfAll.map(asRange) }
  }

  async function findIndices(pubkeys: readonly string[]): Promise<Map<string, number>> {
    const found = sql<Validator>`select index, pubkey from validator where pubkey = any(${pubkeys})`
    const { rows } = await found.execute(db)
    return new Map(rows.map(({ pubkey, index }) => [pubkey, index]))
  }

  async function hasTracked(): Promise<boolean> {
    const tracked = db.selectFrom('validator').select('index').where('tracked', '=', true).limit(1)
    return (await tracked.executeTakeFirst()) !== undefined
  }

  /** Disjoint, newest first. */
  async function missing({ fromEpoch, toEpoch }: EpochRange): Promise<(EpochRange & { validators: number[] })[]> {
    if (fromEpoch > toEpoch) return []
    const { rows } = await sql<MissingRow>`
      select index, ${rangesOf(sql`int4multirange(int4range(${fromEpoch}, ${toEpoch}, '[]')) - own.covered - registry.covered`)} as missing
      from validator own, validator_registry registry where own.tracked`.execute(db)
    return groupMissing(rows).map(({ from, to, validators }) => ({ fromEpoch: from, toEpoch: to, validators }))
  }

  /** Commits with completed days. Idempotent. */
  async function save(times: BeaconTimes, indexed: IndexedEpochs): Promise<void> {
    await db.transaction().execute(async (trx) => {
      // A fixed lock order prevents deadlocks.
      await sql`select from validator where index = any(${indexed.validators}) order by index for update`.execute(trx)
      await replace(trx, indexed)
      await reportMissed(trx, times, indexed.rows)
      await sql`update validator set covered = covered + int4multirange(int4range(${indexed.fromEpoch}::integer, ${indexed.toEpoch}::integer, '[]'))
        where index = any(${indexed.validators})`.execute(trx)
      await rollUp(trx, indexed.validators, daysOf(times, indexed))
    })
    await statistics.noteAdded(indexed.rows.length)
  }

  const outcomes: FindOutcomes = async (period, validator, lists) => {
    if (lists.every((ranges) => ranges.length === 0)) return []
    const { rows } = await sql<{ place: number; epoch: number; line: string }>`
      select part.place, own.epoch, own.outcome as line
      from ${rangeTable(lists)} join ${sql.table(`validator_${period}`)} own
        on own.validator = ${validator} and own.epoch between "fromEpoch" and "toEpoch"`.execute(db)
    return rows.map(({ place, epoch, line }) => ({ place, epoch, outcome: outcomeOf(line) }))
  }

  const known = { track, register, firstUnknown: () => firstUnknown(db), hasTracked, findIndices, find }
  return { ...known, missing, save, outcomes }
}

/** Returns 0 if an earlier index is missing. */
async function firstUnknown(db: Db): Promise<number> {
  const { rows } = await sql<{ first: number }>`
    select (case when count(*) = max(index) + 1 then count(*) else 0 end)::integer as first from validator`.execute(db)
  return rows[0]?.first ?? 0
}

async function replace(trx: Trx, { validators, rows, ...range }: IndexedEpochs): Promise<void> {
  await sql`
    delete from validator_epoch
    where validator = any(${validators}) and epoch between ${range.fromEpoch} and ${range.toEpoch}`.execute(trx)
  const lines = rows.map(({ validatorIndex: validator, epoch, ...outcome }) => ({
    validator,
    epoch,
    outcome: lineOf(outcome),
  }))
  for (const page of pagesOf(lines, BATCH)) await trx.insertInto('validator_epoch').values(page).execute()
}

async function rollUp(trx: Trx, validators: readonly number[], days: readonly EpochRange[]): Promise<void> {
  const firsts = days.map(({ fromEpoch }) => fromEpoch)
  await sql`delete from validator_day where validator = any(${validators}) and epoch = any(${firsts})`.execute(trx)
  const { rows } = await sql<{ validator: number; epoch: number; lines: string; last: string | null }>`
    select validator.index as validator, "fromEpoch" as epoch, string_agg(own.outcome, chr(10)) as lines,
      max(own.outcome) filter (where own.epoch = "toEpoch") as last
    from ${rangeTable([days])}
      join validator on validator.index = any(${validators}) and validator.covered @> int4range("fromEpoch", "toEpoch", '[]')
      join validator_epoch own on own.validator = validator.index and own.epoch between "fromEpoch" and "toEpoch"
    group by validator.index, "fromEpoch", "toEpoch"`.execute(trx)
  const sums = rows.map(({ validator, epoch, lines, last }) => ({
    validator,
    epoch,
    outcome: lineOf(sumOutcomes(lines.split('\n').map(outcomeOf), last === null ? undefined : outcomeOf(last))),
  }))
  for (const page of pagesOf(sums, BATCH)) await trx.insertInto('validator_day').values(page).execute()
}
