import { expect, test } from 'vitest'
import { scannedPage } from './present.ts'

const times = { genesisTime: 1_606_824_023, secondsPerSlot: 12, slotsPerEpoch: 32 }
const place = { offset: 0, limit: 10 }

/** Pages over a scan up to a slot. Epochs up to 100 count, so epoch 102 is final. */
function show(searchedToSlot: number | null, { isScanned = true, exists = true } = {}) {
  const context = {
    execution: isScanned ? {} : undefined,
    chain: {
      facts: async () => ({ times }),
      countedEpochs: async () => ({ fromEpoch: 0, toEpoch: 100 }),
    },
    store: { find: async () => (exists ? { index: 7, pubkey: '0x', isTracked: true } : undefined) },
    findValidator: async () => undefined,
  }
  return scannedPage(
    context as never,
    7,
    place,
    async () => ({ rows: ['a', 'b'], totalRows: 12, searchedToSlot }),
    (_, row) => row,
  )
}

test('a page says where it is, and how many there are', async () => {
  expect(await show(102 * 32)).toEqual({
    body: { data: ['a', 'b'], offset: 0, limit: 10, totalRows: 12, pages: 2 },
    headers: { 'x-data-complete': 'true' },
  })
})

test.each([
  ['the first slot of the epoch that is final', 102 * 32, 'true'],
  ['the slot before, where that one was missed', 102 * 32 - 1, 'true'],
  ['the slot after the one that was final before', 101 * 32 + 1, 'true'],
  ['what was final before', 101 * 32, 'false'],
  ['nothing yet', null, 'false'],
] as const)('searched to %s', async (_, searchedToSlot, complete) => {
  expect((await show(searchedToSlot)).headers['x-data-complete']).toBe(complete)
})

test('without an execution node nothing was found, which does not mean that there is nothing', async () => {
  const refusal = show(null, { isScanned: false })
  await expect(refusal).rejects.toMatchObject({ status: 502, message: expect.stringContaining('No execution node') })
  await expect(show(null, { isScanned: false, exists: false })).rejects.toMatchObject({ status: 404 })
})
