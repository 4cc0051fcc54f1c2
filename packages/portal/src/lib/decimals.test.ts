import { expect, test } from 'vitest'
import { differenceOf, negated, ratioOf, sumDecimals, toBaseUnits } from './decimals.ts'

test('sums keep every digit, beyond what a double holds', () => {
  expect(sumDecimals(['90071992547409931234567890.125', '0.0000000000000000001'])).toBe(
    '90071992547409931234567890.1250000000000000001',
  )
  expect(sumDecimals(['0.1', '0.2'])).toBe('0.3')
  expect(sumDecimals(['-1.5', '1.25', '0.25'])).toBe('0')
  expect(sumDecimals(['-0.5', '0.25'])).toBe('-0.25')
  expect(sumDecimals([])).toBe('0')
  expect(sumDecimals(['7.50'])).toBe('7.50')
})

test('what is not known makes a sum unknown', () => {
  expect(sumDecimals(['1', 'N/A'])).toBe('N/A')
  expect(differenceOf('N/A', '1')).toBe('N/A')
  expect(ratioOf('1', 'N/A')).toBe('N/A')
  expect(ratioOf('1', '0.00')).toBe('N/A')
})

test('differences and ratios', () => {
  expect(differenceOf('100.10', '0.1')).toBe('100')
  expect(differenceOf('1', '1.000000000000000001')).toBe('-0.000000000000000001')
  expect(negated('12.5')).toBe('-12.5')
  expect(ratioOf('1', '3')).toBe('0.333333')
  expect(ratioOf('-2.5', '10')).toBe('-0.25')
  expect(ratioOf('12345678901234567890', '12345678901234567890')).toBe('1')
})

test('base units of an amount', () => {
  expect(toBaseUnits('1.5', '6')).toBe('1500000')
  expect(toBaseUnits('0.000000000000000001', '18')).toBe('1')
  expect(toBaseUnits('123456789.123456789', '18')).toBe('123456789123456789000000000')
  expect(toBaseUnits('12', '0')).toBe('12')
  expect(toBaseUnits('0.5', '0')).toBe('N/A')
  expect(toBaseUnits('1', 'x')).toBe('N/A')
})
