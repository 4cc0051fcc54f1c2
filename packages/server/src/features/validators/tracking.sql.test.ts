import { afterAll, expect, test } from 'vitest'
import { pubkeyOf } from '../../../test/beacon/add-up.ts'
import { testDatabase } from '../../../test/database.ts'
import { trackValidator } from './tracking.ts'
import { createValidatorStore } from './validator-store.ts'

const database = await testDatabase('tracking')
const store = createValidatorStore(database.db)
await store.register([1, 2].map((index) => ({ index, pubkey: pubkeyOf(index) })))
/** Requests to the node. They start tracking. */
const asked: (number | string)[] = []
let tracked = 0
afterAll(() => database.drop())

const open = (id: number | string, { indexesAll }: { indexesAll: boolean }) =>
  trackValidator(
    {
      ...{ store, reach: indexesAll ? 'all' : 'tracked' },
      async findValidator(by: number | string) {
        asked.push(by)
        const index = typeof by === 'number' ? by : Number(by)
        return index < 9 ? { index, pubkey: pubkeyOf(index), isFinal: index < 5 } : undefined
      },
      onTracked: () => (tracked += 1),
    } as never,
    id,
  )

test('where all are indexed the registry answers, and no validator is requested or tracked', async () => {
  const known = { index: 2, pubkey: pubkeyOf(2), covered: [] }
  expect(await open(2, { indexesAll: true })).toMatchObject(known)
  expect(await open(pubkeyOf(2), { indexesAll: true })).toMatchObject(known)
  expect([asked, tracked, await store.hasTracked()]).toEqual([[], 0, false])
})

test('where they are not, it takes somebody to ask for one that is only registered', async () => {
  expect(await open(1, { indexesAll: false })).toMatchObject({ index: 1, isTracked: true })
  expect(await open(1, { indexesAll: false })).toMatchObject({ index: 1, isTracked: true })
  expect([asked, tracked]).toEqual([[1], 1])
})

test('one that the registry did not have yet is asked for; what is not final is not tracked, what is not there not found', async () => {
  expect(await open(3, { indexesAll: true })).toMatchObject({ index: 3, covered: [] })
  expect(await open(7, { indexesAll: true })).toEqual({
    ...{ index: 7, pubkey: pubkeyOf(7), covered: [], coveredOfAll: [] },
  })
  await expect(open(9, { indexesAll: true })).rejects.toThrow('There is no validator with the index 9')
  expect([asked, tracked]).toEqual([[1, 3, 7, 9], 2])
})
