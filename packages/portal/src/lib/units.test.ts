import { expect, test } from 'vitest'
import { fromBaseUnits } from './units.ts'

test.each([
  ['1500000', '6', '1.5'],
  ['1', '18', '0.000000000000000001'],
  ['0', '18', '0'],
  ['42', '0', '42'],
  ['-32002638534000000000', '18', '-32.002638534'],
  // 2^256 - 1: every digit stays.
  [
    '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    '18',
    '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
  ],
])('%s in base units of %s decimals is %s', (raw, decimals, units) => {
  expect(fromBaseUnits(raw, decimals)).toBe(units)
})

test.each([
  ['1', '-1'],
  ['1', '300'],
  ['1', ''],
  ['1', '1e3'],
  ['1.5', '6'],
  ['N/A', '6'],
])('%s of %s decimals is unreadable', (raw, decimals) => {
  expect(fromBaseUnits(raw, decimals)).toBeNull()
})
