import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { addUp, epochsOf, FIRST_WHOLE_DAY, pubkeyOf, range, TIMES } from '../../../../test/beacon/add-up.ts'
import { testDatabase } from '../../../../test/database.ts'
import { seededRandom } from '../../../../test/random.ts'
import { sized } from '../../../../test/sized.ts'
import type { EpochRange } from '../../../domain/beacon-time.ts'
import { sumRewards } from '../rewards.ts'
import { createValidatorStore, type ValidatorStore } from '../validator-store.ts'
import { NO_OUTCOME, type Outcome } from './outcome-chunk.ts'
import { chunksOf, createRegistryStore, EPOCH_CHUNK, type RegistryStore } from './registry-store.ts'

const { seed } = seededRandom('registry store')

const databases: Awaited<ReturnType<typeof testDatabase>>[] = []
afterAll(() => Promise.all(databases.map((database) => database.drop())))

async function opened() {
  const database = await testDatabase('registry_store')
  databases.push(database)
  return database
}

const { db, pool } = await opened()
const registry = createRegistryStore(db)
const store = createValidatorStore(db)

/** As if nothing was indexed for a single validator. */
const sum = (of: RegistryStore, index: number, ranges: readonly EpochRange[]) =>
  sumRewards({ store, registry: of }, TIMES, { index, coveredOfAll: [range(0, 1_000_000)] }, ranges)

/** Unique for each validator and epoch. */
function outcomeOf(validator: number, epoch: number): Outcome {
  return {
    ...NO_OUTCOME,
    attestationGwei: BigInt(validator * 1_000 - epoch),
    attestationIdealGwei: BigInt(validator + epoch),
    attestationsIncluded: epoch % 2,
    attestationsMissed: 1 - (epoch % 2),
    effectiveBalanceGwei: 32_000_000_000n + BigInt(epoch),
    ...(validator % 7 === 3 && { mevBlocks: 1, mevWei: 10n ** 19n + BigInt(epoch) }),
  }
}

/** Two whole chunks, an empty one, and a part of a fourth. */
const SIZE = 3 * EPOCH_CHUNK + 100
const isIdle = (validator: number) => validator >= 2 * EPOCH_CHUNK && validator < 3 * EPOCH_CHUNK
const EDGES = [EPOCH_CHUNK, 2 * EPOCH_CHUNK, 3 * EPOCH_CHUNK, SIZE].flatMap((first) => [first - 1, first])
const SHOWN = [0, 3, 63, 64, ...EDGES, 999_999]

function save(epoch: number, into = registry) {
  const outcome = (_: unknown, validator: number) => (isIdle(validator) ? null : outcomeOf(validator, epoch))
  return into.save(TIMES, { epoch, chunks: chunksOf(Array.from({ length: SIZE }, outcome), EPOCH_CHUNK) })
}

function added(validator: number, epochs: EpochRange): Outcome {
  if (validator >= SIZE || isIdle(validator)) return NO_OUTCOME
  const rows = epochsOf(epochs).map((epoch) => outcomeOf(validator, epoch))
  return addUp(rows, rows.at(-1))
}

test('epochs of everyone are kept and found, in whatever order they came, and days as one', async () => {
  const { fromEpoch, toEpoch } = FIRST_WHOLE_DAY
  const whole = range(fromEpoch - 1, toEpoch + 1)
  expect(await registry.missing(whole)).toEqual([whole])
  for (const epoch of [toEpoch, ...epochsOf(range(fromEpoch + 1, toEpoch - 1)), toEpoch + 1, fromEpoch - 1]) {
    await save(epoch)
  }
  expect(await registry.missing(whole)).toEqual([range(fromEpoch, fromEpoch)])
  const days = () => pool.query('select distinct epoch from registry_day').then(({ rows }) => rows)
  expect(await days()).toEqual([])
  await save(fromEpoch)
  expect(await days()).toEqual([{ epoch: fromEpoch }])
  const outside = [range(toEpoch + 2, toEpoch + 2), range(0, fromEpoch - 2)]
  expect(await registry.missing(range(0, toEpoch + 2))).toEqual(outside)
  const parts = [range(fromEpoch + 1, toEpoch), range(fromEpoch, toEpoch + 1), range(toEpoch, toEpoch)]
  const ranges = [whole, FIRST_WHOLE_DAY, ...parts]
  for (const validator of SHOWN) {
    const sums = await sum(registry, validator, ranges)
    expect(sums, `validator ${validator}`).toEqual(ranges.map((each) => added(validator, each)))
  }
  expect(await sum(registry, 0, [])).toEqual([])
})

test('an epoch that is there stays, and what is missing is newest first', async () => {
  const other = createRegistryStore((await opened()).db)
  await save(8, other)
  await other.save(TIMES, { epoch: 8, chunks: [null] })
  await save(4, other)
  expect(await sum(other, 5, [range(8, 8)])).toEqual([added(5, range(8, 8))])
  expect(await other.missing(range(3, 9))).toEqual([range(9, 9), range(5, 7), range(3, 3)])
  expect(await other.missing(range(9, 3))).toEqual([])
})

test('of two that complete a day at once one adds it up', async () => {
  const database = await opened()
  const stores = [createRegistryStore(database.db), createRegistryStore(database.db)]
  const epochs = epochsOf(FIRST_WHOLE_DAY)
  await Promise.all(
    stores.flatMap((store, first) =>
      epochs
        .filter((epoch) => epoch % 3 !== first)
        .map((epoch) => store.save(TIMES, { epoch, chunks: smallChunks(epoch) })),
    ),
  )
  expect(await sum(createRegistryStore(database.db), 1, [FIRST_WHOLE_DAY])).toEqual([added(1, FIRST_WHOLE_DAY)])
})

const smallChunks = (epoch: number) => chunksOf([null, outcomeOf(1, epoch)], EPOCH_CHUNK)

test('epochs of everyone and those of one who was asked for add up, each once', async () => {
  const LAST = 70
  const database = await opened()
  const figures = fc.integer({ min: 0, max: LAST })
  const stretch = fc.tuple(figures, figures).map(([a, b]) => range(Math.min(a, b), Math.max(a, b)))
  await fc.assert(
    fc.asyncProperty(
      fc.array(stretch, { maxLength: 3 }),
      fc.array(stretch, { minLength: 1, maxLength: 3 }),
      stretch,
      async (ofEveryone, ofOne, wanted) => {
        await database.pool.query(
          `truncate validator, validator_epoch, validator_day, registry_epoch, registry_day cascade;
          update validator_registry set covered = default`,
        )
        const [store, all] = [createValidatorStore(database.db), createRegistryStore(database.db)]
        await store.track({ index: 1, pubkey: pubkeyOf(1) })
        for (const each of ofOne) await saveOwn(store, each)
        for (const epoch of new Set(ofEveryone.flatMap(epochsOf))) {
          await all.save(TIMES, { epoch, chunks: smallChunks(epoch) })
        }
        const covered = new Set([...ofEveryone, ...ofOne].flatMap(epochsOf))
        const known = await store.find(1)
        if (!known) throw new Error('the validator is tracked')
        expect(known.covered.flatMap(epochsOf)).toEqual([...covered].sort((a, b) => a - b))
        const missing = await store.missing(range(0, LAST))
        expect(missing.flatMap(epochsOf).sort((a, b) => a - b)).toEqual(
          epochsOf(range(0, LAST)).filter((epoch) => !covered.has(epoch)),
        )
        const parts = known.covered
          .map((each) => range(Math.max(each.fromEpoch, wanted.fromEpoch), Math.min(each.toEpoch, wanted.toEpoch)))
          .filter(({ fromEpoch, toEpoch }) => fromEpoch <= toEpoch)
        expect(await sumRewards({ store, registry: all }, TIMES, known, parts)).toEqual(
          parts.map((each) => added(1, each)),
        )
      },
    ),
    { numRuns: sized({ small: 15, deep: 300 }), seed },
  )
})

const saveOwn = (store: ValidatorStore, epochs: EpochRange) =>
  store.save(TIMES, {
    ...{ ...epochs, validators: [1] },
    rows: epochsOf(epochs).map((epoch) => ({ validatorIndex: 1, epoch, ...outcomeOf(1, epoch) })),
  })
