import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addUp, NOTHING } from '../../../../test/beacon/add-up.ts'
import { seededRandom } from '../../../../test/random.ts'
import {
  COUNT_FIELDS,
  GWEI_FIELDS,
  NO_OUTCOME,
  type Outcome,
  outcomeAt,
  packOutcomes,
  readChunk,
  sumChunks,
  sumOutcomes,
  WEI_FIELDS,
} from './outcome-chunk.ts'

const { seed } = seededRandom('outcome chunks')

const GWEI = fc.oneof(fc.constant(0n), fc.bigInt({ min: -(2n ** 40n), max: 2n ** 42n }))
const WEI = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 24n }))
const COUNT = fc.integer({ min: 0, max: 300 })
const outcomes: fc.Arbitrary<Outcome> = fc.record({
  ...{ attestationGwei: GWEI, attestationIdealGwei: GWEI, effectiveBalanceGwei: GWEI, slashingGwei: GWEI },
  ...{ syncGwei: GWEI, syncPotentialGwei: GWEI, proposalGwei: GWEI, proposalPotentialGwei: GWEI },
  ...{ attestationsIncluded: COUNT, attestationsMissed: COUNT, syncParticipations: COUNT, syncMissed: COUNT },
  ...{ proposedBlocks: COUNT, missedBlocks: COUNT, mevBlocks: COUNT, tipsWei: WEI, mevWei: WEI },
})
const chunks = fc.array(fc.option(outcomes), { maxLength: 70 })

test('every field of an outcome is kept by one of the lists', () => {
  expect([...GWEI_FIELDS, ...WEI_FIELDS, ...COUNT_FIELDS].sort()).toEqual(Object.keys(NOTHING).sort())
  expect(NO_OUTCOME).toEqual(NOTHING)
})

test('what is packed comes back, each by its place and all together', () => {
  fc.assert(
    fc.property(chunks, (chunk) => {
      const body = packOutcomes(chunk)
      expect(chunk.map((_, place) => outcomeAt(body, place))).toEqual(chunk)
      const read = readChunk(body)
      expect(Array.from(read.codes, (code) => read.outcomes[code - 1] ?? null)).toEqual(chunk)
    }),
    { seed },
  )
})

test('who is not in a chunk had nothing', () => {
  const body = packOutcomes([NO_OUTCOME, null])
  expect([0, 1, 2, 4_095].map((place) => outcomeAt(body, place))).toEqual([NO_OUTCOME, null, null, null])
})

test('validators with equal results take almost no room', () => {
  const good = { ...NO_OUTCOME, attestationGwei: 8_100n, attestationIdealGwei: 8_100n, attestationsIncluded: 1 }
  const away = { ...NO_OUTCOME, attestationGwei: -6_000n, attestationIdealGwei: 8_100n, attestationsMissed: 1 }
  const many = Array.from({ length: 4_096 }, (_, place) => (place % 100 === 7 ? away : good))
  // A row of 68 bytes for each of them would be 278,528.
  expect(packOutcomes(many).byteLength).toBeLessThan(500)
})

test('outcomes add up, and the balance is that of the later one', () => {
  const one = { ...NO_OUTCOME, attestationGwei: -5n, syncMissed: 2, mevWei: 7n, effectiveBalanceGwei: 31n }
  const other = { ...NO_OUTCOME, attestationGwei: 8n, syncMissed: 3, tipsWei: 4n, effectiveBalanceGwei: 32n }
  const sum = { ...NO_OUTCOME, attestationGwei: 3n, syncMissed: 5, mevWei: 7n, tipsWei: 4n, effectiveBalanceGwei: 32n }
  expect(sumOutcomes([one, other], other)).toEqual(sum)
  expect(sumOutcomes([one, other], undefined)).toEqual({ ...sum, effectiveBalanceGwei: 0n })
})

/** By definition, one validator after the other. */
function added(of: readonly (readonly (Outcome | null)[])[]): (Outcome | null)[] {
  const size = Math.max(0, ...of.map((chunk) => chunk.length))
  return Array.from({ length: size }, (_, place) => {
    const found = of.map((chunk) => chunk[place] ?? null)
    const there = found.filter((outcome) => outcome !== null)
    if (there.length === 0) return null
    return addUp(there, found.at(-1))
  })
}

test('the sum of chunks is that of each validator, with the effective balance of the last', () => {
  fc.assert(
    fc.property(fc.array(chunks, { minLength: 1, maxLength: 6 }), (several) => {
      const bodies = several.map(packOutcomes)
      expect(sumChunks(bodies, bodies.at(-1))).toEqual(added(several))
      expect(sumChunks(bodies.toReversed(), bodies.at(-1))).toEqual(added(several))
    }),
    { seed },
  )
})

test('a last epoch without any balance of the chunk reports no balance', () => {
  const outcome = { ...NO_OUTCOME, attestationGwei: 5n, effectiveBalanceGwei: 32_000_000_000n }
  const body = packOutcomes([outcome])
  expect(sumChunks([body, body], undefined)).toEqual([{ ...outcome, attestationGwei: 10n, effectiveBalanceGwei: 0n }])
  expect(sumChunks([], undefined)).toEqual([])
})

test('fees of more than 64 bits add up', () => {
  const mevWei = 10n ** 21n
  const body = packOutcomes([{ ...NO_OUTCOME, mevWei }])
  expect(sumChunks([body, body, body], body)).toEqual([{ ...NO_OUTCOME, mevWei: 3n * mevWei }])
})
