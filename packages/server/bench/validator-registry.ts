// A whole registry, as with `COFFER_BEACON_INDEX=all`. First reduces and stores an epoch of synthetic answers from a
// beacon node in a separate process. Then stores epochs of a smaller registry until a day is summed, and sums pages
// over ten months of days. Not part of `npm run bench`.
// `validator-registry.ts [--validators 1000000] [--smaller 65536]`. Exits 1 if a target is missed.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { createBeaconPool } from '../src/beacon/beacon-pool.ts'
import type { Database } from '../src/db/database.ts'
import { type BeaconTimes, type EpochRange, epochsOfPeriod } from '../src/domain/beacon-time.ts'
import { createValidatorsContext } from '../src/features/validators/context.ts'
import { createRegisterNew, createValidatorIndexer } from '../src/features/validators/indexing/validator-indexer.ts'
import { NO_OUTCOME, type Outcome } from '../src/features/validators/registry/outcome-chunk.ts'
import {
  chunksOf,
  createRegistryStore,
  EPOCH_CHUNK,
  type RegistryStore,
} from '../src/features/validators/registry/registry-store.ts'
import { sumRewards } from '../src/features/validators/rewards.ts'
import { createValidatorStore } from '../src/features/validators/validator-store.ts'
import { systemClock } from '../src/lib/clock.ts'
import { benchOverDatabase } from './bench-database.ts'
import { BENCH_EPOCH, balanceOf, isAway, scattered, startSyntheticBeacon } from './synthetic-beacon.ts'

const { values: options } = parseArgs({
  options: {
    validators: { type: 'string', default: '1000000' },
    smaller: { type: 'string', default: '65536' },
    serve: { type: 'boolean', default: false },
  },
})
const validators = Number(options.validators)
const smaller = Number(options.smaller)
const MILLION = 1_000_000
/** For a page of ten monthly buckets. */
const PROMISED_PAGE_MS = 20
const PAGES = 200

/** A real node takes half a minute at most. */
const LIMITS = { timeoutMs: 120_000, pastTimeoutMs: 300_000, totalMs: 600_000 }

async function benchEpoch({ db, pool: pg }: Database, url: string): Promise<string[]> {
  const pool = createBeaconPool({ urls: [url], limits: LIMITS })
  const context = createValidatorsContext({
    ...{ db, pool, reach: 'all', rewardsFrom: BENCH_EPOCH, execution: undefined, onTracked: () => undefined },
    ...{ clock: systemClock, readIncome: async () => ({ tipsWei: 0n, mevWei: 0n, byBuilder: false }) },
    log: { warn: (object: { err: Error }) => console.error(object.err.message) } as never,
  })
  const { registry: store } = context
  const { countedEpochs } = context.chain
  const registering = await timed(createRegisterNew(context.pool, context.store))
  const index = createValidatorIndexer(context)
  let peakBytes = 0
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }, 100)
  const indexing = await timed(() => index(new AbortController().signal))
  clearInterval(watch)
  if ((await store.missing(await countedEpochs())).length > 0) throw new Error('the epoch was not indexed')
  const { rows } = await pg.query<{ rows: string; bodies: string; keys: string }>(
    `select count(*) as rows, sum(octet_length(body)) as bodies, pg_total_relation_size('validator') as keys from registry_epoch`,
  )
  const [found] = rows
  console.log(
    `the registry of ${validators} validators: ${seconds(registering)}, ${megabytes(Number(found?.keys))} of keys stored\n` +
      `an epoch of it: ${seconds(indexing)}, up to ${megabytes(peakBytes)} of memory, ${(Number(found?.bodies) / 1e3).toFixed(0)} kB stored in ${found?.rows} rows`,
  )
  return []
}

const TIMES: BeaconTimes = { genesisTime: 1_606_824_023, secondsPerSlot: 12, slotsPerEpoch: 32 }
const DAY = epochsOfPeriod(TIMES, 'day', 400_000)
const LENGTH = DAY.toEpoch - DAY.fromEpoch + 1
const DAYS = 310

async function benchDays(db: Database['db']): Promise<string[]> {
  const store = createRegistryStore(db)
  let saving: Spent = { ms: 0, cpuMs: 0 }
  for (let epoch = DAY.fromEpoch; epoch <= DAY.toEpoch; epoch += 1) {
    const chunks = chunksOf(outcomesOf(epoch), EPOCH_CHUNK)
    saving = await timed(() => store.save(TIMES, { epoch, chunks }))
  }
  const { rows } = await sql<{ epochs: string; days: string }>`
    select (select sum(octet_length(body)) from registry_epoch) as epochs, (select sum(octet_length(body)) from registry_day) as days`.execute(
    db,
  )
  const each = (of: string | undefined) => megabytes((Number(of) * MILLION) / smaller)
  const sum = { ms: (saving.ms * MILLION) / smaller, cpuMs: (saving.cpuMs * MILLION) / smaller }
  console.log(
    `a day of ${LENGTH} epochs, of a million by what ${smaller} take: ${each(rows[0]?.epochs)} of epochs, ${each(rows[0]?.days)} of days; to add it up ${seconds(sum)}`,
  )
  return benchPages(db, store)
}

/** Most attest. Half a percent is always offline, others at times. 3 % miss the head. */
function outcomesOf(epoch: number): Outcome[] {
  return Array.from({ length: smaller }, (_, validator) => {
    const eth = BigInt(balanceOf(validator))
    const ideal = (eth * BigInt(8_100 + (epoch % 89))) / 32n
    const chance = (scattered(validator * LENGTH + (epoch % LENGTH)) % 10_000) / 10_000
    const away = (isAway(validator) && validator % 2 === 0) || chance < 0.003
    const threeQuarters = (ideal * 3n) / 4n
    const present = chance < 0.03 ? threeQuarters : ideal
    return {
      ...{
        ...NO_OUTCOME,
        attestationGwei: away ? -threeQuarters : present,
        attestationIdealGwei: ideal,
        effectiveBalanceGwei: eth * 10n ** 9n,
      },
      ...{ attestationsIncluded: away ? 0 : 1, attestationsMissed: away ? 1 : 0 },
    }
  })
}

/** Copies one day to ten months. Buckets start and end within days. */
async function benchPages(db: Database['db'], store: RegistryStore): Promise<string[]> {
  const [first, last] = [DAY.fromEpoch - (DAYS - 1) * LENGTH, DAY.toEpoch]
  await sql`insert into registry_day select chunk, epoch - n * ${LENGTH}::integer, body from registry_day, generate_series(1, ${DAYS - 1}::integer) as n`.execute(
    db,
  )
  await sql`insert into registry_epoch select chunk, epoch - n * ${LENGTH}::integer, body from registry_epoch, generate_series(1, ${DAYS - 1}::integer) as n where chunk < 2`.execute(
    db,
  )
  await sql`update validator_registry set covered = int4multirange(int4range(${first}::integer, ${last}::integer, '[]'))`.execute(
    db,
  )
  await sql`analyze registry_day, registry_epoch`.execute(db)
  const months = monthsOf({ fromEpoch: first + 100, toEpoch: last - 100 })
  const coveredOfAll = [{ fromEpoch: first, toEpoch: last }]
  const spent: number[] = []
  for (let page = 0; page < PAGES; page += 1) {
    const { ms } = await timed(() =>
      sumRewards(
        { store: createValidatorStore(db), registry: store },
        TIMES,
        { index: (page * 7_919) % Math.min(smaller, 2 * EPOCH_CHUNK), coveredOfAll },
        months,
      ),
    )
    spent.push(ms)
  }
  spent.sort((a, b) => a - b)
  const at = (share: number) => spent[Math.floor(PAGES * share)] ?? 0
  console.log(
    `sums of ${months.length} months: p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms (promised: under ${PROMISED_PAGE_MS})`,
  )
  return at(0.95) < PROMISED_PAGE_MS ? [] : [`a page took ${at(0.95).toFixed(1)} ms at p95`]
}

function monthsOf({ fromEpoch, toEpoch }: EpochRange): EpochRange[] {
  const months: EpochRange[] = []
  for (let to = toEpoch; to >= fromEpoch && months.length < 10; ) {
    const from = Math.max(fromEpoch, epochsOfPeriod(TIMES, 'month', to).fromEpoch)
    months.push({ fromEpoch: from, toEpoch: to })
    to = from - 1
  }
  return months
}

type Spent = { ms: number; cpuMs: number }

const seconds = ({ ms, cpuMs }: Spent) => `${(ms / 1e3).toFixed(1)} s (${(cpuMs / 1e3).toFixed(1)} s of CPU)`
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

async function timed(work: () => Promise<unknown>): Promise<Spent> {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1e3 }
}

if (options.serve) {
  process.send?.(await startSyntheticBeacon(validators))
} else {
  const server = fork(import.meta.filename, ['--serve', '--validators', String(validators)])
  try {
    const [url] = (await once(server, 'message')) as [string]
    await benchOverDatabase((database) => benchEpoch(database, url))
  } finally {
    server.kill()
  }
  await benchOverDatabase(({ db }) => benchDays(db))
}
