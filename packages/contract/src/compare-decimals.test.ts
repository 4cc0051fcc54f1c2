import { expect, test } from 'vitest'
import { compareDecimals } from './compare-decimals.ts'

test('decimals are ordered by their digits', () => {
  const ordered = [
    '-100',
    '-20.5',
    '-20.49',
    '-3',
    '0',
    '0.000000000000000001',
    '0.1',
    '0.11',
    '2',
    '10',
    '10.01',
    '9007199254740993',
    '9007199254740993.5',
  ]
  expect(ordered.toReversed().sort(compareDecimals)).toEqual(ordered)
  expect(compareDecimals('1.50', '1.50')).toBe(0)
})
