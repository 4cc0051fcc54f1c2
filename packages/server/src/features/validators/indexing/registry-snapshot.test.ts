import { expect, test } from 'vitest'
import { readSnapshot } from './registry-snapshot.ts'

const LIFE = {
  ...{ effectiveBalanceGwei: 2_048_000_000_000n, slashed: true },
  ...{ activationEpoch: 0, exitEpoch: 4_294_967_296, withdrawableEpoch: null },
}

async function* pages(...of: number[][]) {
  for (const page of of) yield page.map((index) => ({ ...LIFE, index }))
}

test('every validator is found by index, in any order of pages', async () => {
  const { size, slice } = await readSnapshot(pages([2, 0, 1], [4, 3], []))
  expect([size, [...slice(1, 9).keys()]]).toEqual([5, [1, 2, 3, 4]])
  expect(slice(3, 4)).toEqual(new Map([[3, { ...LIFE, index: 3 }]]))
  expect(slice(7, 9)).toEqual(new Map())
})

test('a registry with a gap is no registry', async () => {
  await expect(readSnapshot(pages([0, 1], [3]))).rejects.toThrow('the registry of 4 validators was returned with 3')
})
