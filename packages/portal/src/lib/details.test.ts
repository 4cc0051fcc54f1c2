import { expect, test } from 'vitest'
import { detailPairs } from './details.ts'

test('what was changed is told by name, however deep it is', () => {
  expect(
    detailPairs({ name: 'mine', quotas: { bundles: 5, addressBook: null }, entitlements: ['portfolio', 'beacon'] }),
  ).toEqual([
    ['name', 'mine'],
    ['quotas.bundles', '5'],
    ['quotas.addressBook', '–'],
    ['entitlements', 'portfolio, beacon'],
  ])
})

test('nothing in detail is no pair, and lists of records are told as they are', () => {
  expect(detailPairs({})).toEqual([])
  expect(detailPairs({ rows: [{ a: 1 }], none: [] })).toEqual([
    ['rows', '{"a":1}'],
    ['none', '–'],
  ])
})
