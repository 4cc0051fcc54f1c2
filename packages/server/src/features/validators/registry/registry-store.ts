import { sql } from 'kysely'
import { createStatistics } from '../../../db/statistics.ts'
import type { Db, Trx } from '../../../db/tables.ts'
import { type BeaconTimes, type EpochRange, epochsOfPeriod } from '../../../domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../../domain/validator-epoch.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { asRange, rangesOf, rangeTable } from '../ranges.ts'
import { listWatched, reportMissed } from '../report-missed.ts'
import { type FindOutcomes, type Outcome, outcomeAt, packOutcomes, sumChunks } from './outcome-chunk.ts'

/** Validators per row. */
export const EPOCH_CHUNK = 2_048
const DAY_CHUNK = 64

export type RegistryEpoch = { epoch: number; chunks: readonly (Buffer | null)[] }

export type RegistryStore = ReturnType<typeof createRegistryStore>

export function createRegistryStore(db: Db) {
  const statistics = createStatistics(db, ['registry_epoch', 'registry_day'])

  /** Disjoint, newest first. */
  async function missing({ fromEpoch, toEpoch }: EpochRange): Promise<EpochRange[]> {
    if (fromEpoch > toEpoch) return []
    const { missing: ranges } = await db
      .selectFrom('validator_registry')
      .select(rangesOf(sql`int4multirange(int4range(${fromEpoch}, ${toEpoch}, '[]')) - covered`).as('missing'))
      .executeTakeFirstOrThrow()
    return ranges.map(asRange).reverse()
  }

  /** Commits with the day that it completes. A stored epoch is final. */
  async function save(times: BeaconTimes, { epoch, chunks }: RegistryEpoch): Promise<void> {
    const rows = chunks.flatMap((body, chunk) => (body ? [{ chunk, epoch, body }] : []))
    await db.transaction().execute(async (trx) => {
      const added = await sql`
        update validator_registry set covered = covered + int4multirange(int4range(${epoch}::integer, ${epoch}::integer, '[]'))
        where not covered @> ${epoch}::integer`.execute(trx)
      if (added.numAffectedRows === 0n) return
      if (rows.length > 0) await trx.insertInto('registry_epoch').values(rows).execute()
      await reportMissed(trx, times, outcomesIn(chunks, epoch, await listWatched(trx)))
      const day = epochsOfPeriod(times, 'day', epoch)
      if (await isCovered(trx, day)) await rollUp(trx, day)
    })
    await statistics.noteAdded(rows.length)
  }

  const outcomes: FindOutcomes = async (period, validator, lists) => {
    if (lists.every((ranges) => ranges.length === 0)) return []
    const size = period === 'day' ? DAY_CHUNK : EPOCH_CHUNK
    const { rows } = await sql<{ place: number; epoch: number; body: Buffer }>`
      select part.place, chunk.epoch, chunk.body
      from ${rangeTable(lists)} join ${sql.table(`registry_${period}`)} as chunk
        on chunk.chunk = ${Math.floor(validator / size)} and chunk.epoch between "fromEpoch" and "toEpoch"`.execute(db)
    return rows.flatMap(({ place, epoch, body }) => {
      const outcome = outcomeAt(body, validator % size)
      return outcome ? [{ place, epoch, outcome }] : []
    })
  }

  return { missing, save, outcomes }
}

function outcomesIn(chunks: RegistryEpoch['chunks'], epoch: number, validators: readonly number[]): ValidatorEpoch[] {
  return validators.flatMap((validatorIndex) => {
    const body = chunks[Math.floor(validatorIndex / EPOCH_CHUNK)]
    const outcome = body && outcomeAt(body, validatorIndex % EPOCH_CHUNK)
    return outcome ? [{ ...outcome, validatorIndex, epoch }] : []
  })
}

async function isCovered(trx: Trx, { fromEpoch, toEpoch }: EpochRange): Promise<boolean> {
  const row = await trx
    .selectFrom('validator_registry')
    .select('only_one')
    .where(sql<boolean>`covered @> int4range(${fromEpoch}, ${toEpoch}, '[]')`)
    .executeTakeFirst()
  return row !== undefined
}

/** Works chunk by chunk: a whole day takes some hundred megabytes. */
async function rollUp(trx: Trx, { fromEpoch, toEpoch }: EpochRange): Promise<void> {
  const { last } = await trx
    .selectFrom('registry_epoch')
    .select((eb) => eb.fn.max('chunk').as('last'))
    .executeTakeFirstOrThrow()
  for (let chunk = 0; chunk <= (last ?? -1); chunk += 1) {
    const bodies = await trx
      .selectFrom('registry_epoch')
      .select(['epoch', 'body'])
      .where('chunk', '=', chunk)
      .where('epoch', '>=', fromEpoch)
      .where('epoch', '<=', toEpoch)
      .execute()
    const sums = sumChunks(
      bodies.map(({ body }) => body),
      bodies.find(({ epoch }) => epoch === toEpoch)?.body,
    )
    const first = (chunk * EPOCH_CHUNK) / DAY_CHUNK
    const rows = chunksOf(sums, DAY_CHUNK).flatMap((body, i) =>
      body ? [{ chunk: first + i, epoch: fromEpoch, body }] : [],
    )
    if (rows.length > 0) await trx.insertInto('registry_day').values(rows).execute()
  }
}

export function chunksOf(outcomes: readonly (Outcome | null)[], size: number): (Buffer | null)[] {
  return pagesOf(outcomes, size).map((chunk) =>
    chunk.some((outcome) => outcome !== null) ? packOutcomes(chunk) : null,
  )
}
