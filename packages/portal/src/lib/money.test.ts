import { i18n } from '@lingui/core'
import { beforeEach, expect, test } from 'vitest'
import { formatAmount, formatMoney, formatPercent, formatPrice, signOf } from './money.ts'

beforeEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

test('money is rounded exactly, beyond what a double holds', () => {
  expect(formatMoney('90071992547409931234567890.125')).toBe('$90,071,992,547,409,931,234,567,890.13')
  expect(formatMoney('-1234.5')).toBe('-$1,234.50')
  expect(formatMoney('0')).toBe('$0.00')
  expect(formatMoney('12', 'EUR')).toBe('€12.00')
})

test('prices and amounts keep four digits that count', () => {
  expect(formatPrice('0.000012345')).toBe('$0.00001235')
  expect(formatPrice('3123.456')).toBe('$3,123.46')
  expect(formatAmount('0.000000123456')).toBe('0.0000001235')
  expect(formatAmount('1234567.123456789')).toBe('1,234,567.1235')
  expect(formatAmount('10')).toBe('10')
  expect(formatPercent('0.1234')).toBe('12.3%')
})

test('figures in a currency have two places at least', () => {
  const prices = ['0', '1', '15', '1.5', '0.5', '-2', '3000', '1.0001', '1.2345', '0.99987', '15.126']
  expect(prices.map((price) => formatPrice(price))).toEqual([
    ...['$0.00', '$1.00', '$15.00', '$1.50', '$0.50', '-$2.00', '$3,000.00', '$1.00', '$1.235', '$0.9999', '$15.13'],
  ])
  expect(formatPrice('0.000000000000000001')).toBe('$0.000000000000000001')
})

test('money is in cents, and what is less than one is no zero', () => {
  const values = ['0.1', '0.005', '-0.005', '0.004', '-0.004', '0.000000000000003', '0.00', '0', '0.00500001', '1.004']
  expect(values.map((value) => formatMoney(value))).toEqual([
    ...['$0.10', '$0.01', '-$0.01', '<$0.01', '>-$0.01', '<$0.01', '$0.00', '$0.00', '$0.01', '$1.00'],
  ])
  i18n.loadAndActivate({ locale: 'de', messages: {} })
  expect(formatMoney('0.004', 'EUR')).toBe('<0,01\u00a0€')
})

test('what is not known stays unknown', () => {
  expect([formatMoney('N/A'), formatAmount('N/A'), formatPercent('N/A')]).toEqual(['N/A', 'N/A', 'N/A'])
})

test('figures follow the language', () => {
  i18n.loadAndActivate({ locale: 'de', messages: {} })
  expect(formatMoney('1234.5')).toBe('1.234,50\u00a0$')
})

test('the sign is read off the text', () => {
  expect(['-0.01', '0', '0.00', '12', 'N/A'].map(signOf)).toEqual([-1, 0, 0, 1, 0])
})
