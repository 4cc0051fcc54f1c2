import { expect, test } from 'vitest'
import { compareDecimals, toDrawn, toProduct, toShares } from './pixels.ts'

test('draws decimals and nothing else', () => {
  expect(toDrawn('-12.5')).toBe(-12.5)
  expect(['N/A', '', ' 1', '1e3', '0x10'].map(toDrawn)).toEqual([null, null, null, null, null])
})

test('shares leave out what is unknown, nothing or owed', () => {
  expect(toShares(['3', 'N/A', '1', '-4', '0'])).toEqual([0.75, 0, 0.25, 0, 0])
  expect(toShares(['0', 'N/A'])).toEqual([0, 0])
})

test('orders decimals that are equal as doubles', () => {
  expect(compareDecimals('9007199254740993', '9007199254740992')).toBe(1)
  expect(compareDecimals('0.1000000000000000000001', '0.1')).toBe(1)
  expect(compareDecimals('-0.2', '-0.1')).toBe(-1)
  expect(compareDecimals('-0.5', '0.5')).toBe(-1)
  expect(compareDecimals('1.50', '1.5')).toBe(0)
  expect(['2', 'N/A', '-3', '10'].sort(compareDecimals)).toEqual(['N/A', '-3', '2', '10'])
})

test('multiplies decimals exactly, to order by', () => {
  expect(toProduct('3', '4')).toBe('12')
  expect(toProduct('0.25', '0.5')).toBe('0.125')
  expect(toProduct('123456789012345678.9', '1000000000000000001')).toBe('123456789012345679023456789012345678.9')
  expect([toProduct('N/A', '2'), toProduct('2', '-1')]).toEqual(['N/A', 'N/A'])
})
