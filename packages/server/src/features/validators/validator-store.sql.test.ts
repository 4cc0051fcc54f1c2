import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import {
  addUp,
  epochsOf,
  FIRST_WHOLE_DAY,
  pubkeyOf,
  range,
  epochRow as row,
  TIMES,
} from '../../../test/beacon/add-up.ts'
import { testDatabase } from '../../../test/database.ts'
import { seededRandom } from '../../../test/random.ts'
import type { EpochRange } from '../../domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../domain/validator-epoch.ts'
import type { Outcome } from './registry/outcome-chunk.ts'
import { createRegistryStore } from './registry/registry-store.ts'
import { sumRewards } from './rewards.ts'
import { createValidatorStore } from './validator-store.ts'

const { seed } = seededRandom('validator store')

const database = await testDatabase('validator_store')
const store = createValidatorStore(database.db)
const registry = createRegistryStore(database.db)
const own = await testDatabase('validator_store_own')
const other = createValidatorStore(own.db)
afterAll(() => Promise.all([database.drop(), own.drop()]))

let lastIndex = 0
async function tracked(): Promise<number> {
  lastIndex += 1
  await store.track({ index: lastIndex, pubkey: pubkeyOf(lastIndex) })
  return lastIndex
}

const sum = (index: number, ranges: readonly EpochRange[]) =>
  sumRewards({ store, registry }, TIMES, { index, coveredOfAll: [] }, ranges)

const coveredOf = async (validator: number) => (await store.find(validator))?.covered

const save = (validator: number, epochs: EpochRange, rows: ValidatorEpoch[]) =>
  store.save(TIMES, { ...epochs, validators: [validator], rows })

/** Sums by a reader of the rows alone. */
function added(rows: readonly ValidatorEpoch[], { fromEpoch, toEpoch }: EpochRange): Outcome {
  const within = rows.filter(({ epoch }) => epoch >= fromEpoch && epoch <= toEpoch)
  return addUp(
    within,
    within.find(({ epoch }) => epoch === toEpoch),
  )
}

test('a validator is tracked once, and found by index and public key', async () => {
  const index = await tracked()
  await store.track({ index, pubkey: pubkeyOf(index) })
  const known = { index, pubkey: pubkeyOf(index), isTracked: true, covered: [], coveredOfAll: [] }
  expect(await store.find(pubkeyOf(index))).toEqual(known)
  expect(await store.find(index)).toEqual(await store.find(pubkeyOf(index)))
  expect(await store.find(pubkeyOf(999_999))).toBeUndefined()
})

test('who is only registered is found, and misses nothing until somebody asks', async () => {
  expect(await other.firstUnknown()).toBe(0)
  await other.register([1, 2].map((index) => ({ index, pubkey: pubkeyOf(index) })))
  await other.register([2, 3].map((index) => ({ index, pubkey: pubkeyOf(index) })))
  const known = { index: 3, pubkey: pubkeyOf(3), isTracked: false, covered: [], coveredOfAll: [] }
  expect(await other.find(pubkeyOf(3))).toEqual(known)
  expect([await other.hasTracked(), await other.missing(range(0, 9))]).toEqual([false, []])
  expect(await other.firstUnknown()).toBe(0)
  await other.register([{ index: 0, pubkey: pubkeyOf(0) }])
  expect(await other.firstUnknown()).toBe(4)
  expect(await other.track({ index: 2, pubkey: pubkeyOf(2) })).toMatchObject({ index: 2, isTracked: true })
  expect(await other.hasTracked()).toBe(true)
  expect(await other.missing(range(0, 9))).toEqual([{ ...range(0, 9), validators: [2] }])
})

test('every figure comes back as it was saved, negative and huge ones too', async () => {
  const index = await tracked()
  const whole: ValidatorEpoch = {
    ...{ validatorIndex: index, epoch: 7, attestationGwei: -5_000_000_000_000n, attestationIdealGwei: 3n },
    ...{ syncGwei: -4n, syncPotentialGwei: 5n, proposalGwei: 6n, proposalPotentialGwei: 7n, slashingGwei: 8n },
    ...{ attestationsIncluded: 9, attestationsMissed: 10, syncParticipations: 11, syncMissed: 12 },
    ...{ proposedBlocks: 13, missedBlocks: 14, mevBlocks: 15, tipsWei: 10n ** 30n, mevWei: 10n ** 31n + 1n },
    effectiveBalanceGwei: 2_048_000_000_000n,
  }
  await save(index, range(7, 7), [whole])
  const { validatorIndex: _, epoch: __, ...figures } = whole
  expect(await sum(index, [range(7, 7)])).toEqual([figures])
})

test('rows and coverage are one: what fails leaves neither, and who is not tracked has none', async () => {
  const index = await tracked()
  const outsider = 1_000_000
  await expect(save(outsider, range(1, 1), [row(outsider, 1)])).rejects.toThrow()
  const twice = [row(index, 1), row(index, 1)]
  await expect(save(index, range(1, 1), twice)).rejects.toThrow()
  expect(await coveredOf(index)).toEqual([])
  expect(await sum(index, [range(1, 1)])).toEqual([added([], range(1, 1))])
})

test('the same epoch twice is the same, and the later save is what counts', async () => {
  const index = await tracked()
  const { fromEpoch } = FIRST_WHOLE_DAY
  const rows = epochsOf(FIRST_WHOLE_DAY).map((epoch) => row(index, epoch))
  await save(index, FIRST_WHOLE_DAY, rows)
  await save(index, range(fromEpoch + 3, fromEpoch + 3), [row(index, fromEpoch + 3)])
  expect(await sum(index, [FIRST_WHOLE_DAY])).toEqual([added(rows, FIRST_WHOLE_DAY)])
  await save(index, range(fromEpoch + 3, fromEpoch + 4), [row(index, fromEpoch + 4, { attestationGwei: -1n })])
  const later = row(index, fromEpoch + 4, { attestationGwei: -1n })
  const changed = [...rows.filter(({ epoch }) => epoch < fromEpoch + 3 || epoch > fromEpoch + 4), later]
  expect(await sum(index, [FIRST_WHOLE_DAY])).toEqual([added(changed, FIRST_WHOLE_DAY)])
  expect(await coveredOf(index)).toEqual([FIRST_WHOLE_DAY])
})

test('a day has its row once all its epochs are there, and not before', async () => {
  const index = await tracked()
  const { fromEpoch, toEpoch } = FIRST_WHOLE_DAY
  const days = () => database.db.selectFrom('validator_day').selectAll().where('validator', '=', index).execute()
  for (let epoch = toEpoch; epoch > fromEpoch; epoch -= 1) await save(index, range(epoch, epoch), [row(index, epoch)])
  expect(await days()).toEqual([])
  await save(index, range(fromEpoch, fromEpoch), [row(index, fromEpoch)])
  const length = BigInt(toEpoch - fromEpoch + 1)
  const outcome = `${9_000n * length},${10_000n * length},32000000000,,,,,,${length}`
  expect(await days()).toEqual([{ validator: index, epoch: fromEpoch, outcome }])
})

test('epochs without a row are covered and empty', async () => {
  const index = await tracked()
  await save(index, range(0, 200_000), [])
  expect(await coveredOf(index)).toEqual([range(0, 200_000)])
  expect(await sum(index, [range(0, 200_000)])).toEqual([added([], range(0, 200_000))])
  expect(await store.missing(range(0, 200_000))).not.toContainEqual(
    expect.objectContaining({ validators: expect.arrayContaining([index]) }),
  )
})

test('what is missing is listed newest first, each epoch once for all who miss it', async () => {
  await own.pool.query('truncate validator cascade')
  expect(await other.missing(range(0, 9))).toEqual([])
  for (const index of [1, 2, 3]) await other.track({ index, pubkey: pubkeyOf(index) })
  expect(await other.missing(range(0, 9))).toEqual([{ ...range(0, 9), validators: [1, 2, 3] }])
  await other.save(TIMES, { ...range(8, 9), validators: [1, 2], rows: [] })
  await other.save(TIMES, { ...range(3, 4), validators: [3, 1], rows: [] })
  expect(await other.missing(range(0, 9))).toEqual([
    { ...range(8, 9), validators: [3] },
    { ...range(5, 7), validators: [1, 2, 3] },
    { ...range(3, 4), validators: [2] },
    { ...range(0, 2), validators: [1, 2, 3] },
  ])
  expect(await other.missing(range(3, 2))).toEqual([])
})

test('any two who save the same validators at once finish, and nothing of either is lost', async () => {
  const validators = [await tracked(), await tracked(), await tracked()]
  const rowsOf = (epoch: number) => validators.map((index) => row(index, epoch))
  await Promise.all(
    Array.from({ length: 40 }, (_, epoch) => {
      const inOrder = epoch % 2 === 0 ? validators : validators.toReversed()
      return store.save(TIMES, { ...range(epoch, epoch), validators: inOrder, rows: rowsOf(epoch) })
    }),
  )
  for (const index of validators) {
    expect(await coveredOf(index)).toEqual([range(0, 39)])
    const rows = Array.from({ length: 40 }, (_, epoch) => row(index, epoch))
    const ranges = [range(0, 39), FIRST_WHOLE_DAY]
    expect(await sum(index, ranges)).toEqual(ranges.map((each) => added(rows, each)))
  }
})

test('whatever is saved in whatever order, ranges sum to their epochs', async () => {
  const figures = fc.record({
    attestationGwei: fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }),
    tipsWei: fc.bigInt({ min: 0n, max: 10n ** 20n }),
    effectiveBalanceGwei: fc.constantFrom(0n, 31_000_000_000n, 32_000_000_000n),
    proposedBlocks: fc.integer({ min: 0, max: 1 }),
  })
  /** The first epoch, and the rows of each following one. */
  const saving = fc.tuple(
    fc.integer({ min: 0, max: 120 }),
    fc.array(fc.option(figures), { minLength: 1, maxLength: 40 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(saving, { minLength: 1, maxLength: 6 }), async (savings) => {
      const index = await tracked()
      const stored = new Map<number, ValidatorEpoch[]>()
      for (const [from, values] of savings) {
        const rows = values.map((value, i) => (value ? [row(index, from + i, value)] : []))
        for (const [i, some] of rows.entries()) stored.set(from + i, some)
        await save(index, range(from, from + values.length - 1), rows.flat())
      }
      const covered = (await coveredOf(index)) ?? []
      expect(covered.flatMap(epochsOf)).toEqual([...stored.keys()].sort((a, b) => a - b))
      const rows = [...stored.values()].flat()
      expect(await sum(index, covered)).toEqual(covered.map((one) => added(rows, one)))
    }),
    { numRuns: 60, seed },
  )
})
