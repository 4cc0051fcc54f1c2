import { expect, test } from 'vitest'
import { detailPairs } from './details.ts'

test('a changed field is named at any depth', () => {
  expect(
    detailPairs({ name: 'mine', quotas: { bundles: 5, addressBook: null }, entitlements: ['portfolio', 'beacon'] }),
  ).toEqual([
    ['name', 'mine'],
    ['quotas.bundles', '5'],
    ['quotas.addressBook', '–'],
    ['entitlements', 'portfolio, beacon'],
  ])
})

test('empty details have no pairs, and lists of records stay unchanged', () => {
  expect(detailPairs({})).toEqual([])
  expect(detailPairs({ rows: [{ a: 1 }], none: [] })).toEqual([
    ['rows', '{"a":1}'],
    ['none', '–'],
  ])
})
