import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inUnits, isExact, money, percentOf, price, quantity, rounded } from './figures.ts'

test.each([
  ['1234567.891', '1,234,567.89'],
  ['0.005', '0.01'],
  ['-0.005', '-0.01'],
  ['0.004', '<0.01'],
  ['-0.004', '>-0.01'],
  ['0', '0.00'],
  ['999.995', '1,000.00'],
  ['3000', '3,000.00'],
  ['123456789012345678901234567890.125', '123,456,789,012,345,678,901,234,567,890.13'],
  ['N/A', 'N/A'],
  ['', ''],
])('money %s is shown as %s', (figure, shown) => expect(money(figure)).toBe(shown))

test.each([
  ['1.5', '1.5'],
  ['1234.5678915', '1,234.567892'],
  ['0.000000123456', '0.000000123'],
  ['0.9999999', '1'],
  ['-2', '-2'],
])('the quantity %s is shown as %s', (figure, shown) => expect(quantity(figure)).toBe(shown))

test('a price keeps four decimals, and three digits where it is small', () => {
  expect(['3000', '2.967062608', '0.0000012345'].map(price)).toEqual(['3,000', '2.9671', '0.00000123'])
})

test('rounding is to the nearest, halves away from zero', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.integer({ min: 0, max: 6 }),
      (amount, decimals) => {
        const figure = `${amount < 0n ? '-' : ''}${inUnits(String(amount < 0n ? -amount : amount), 9)}`
        const scale = 10n ** BigInt(9 - decimals)
        const magnitude = amount < 0n ? -amount : amount
        const nearest = (2n * magnitude + scale) / (2n * scale)
        const expected = inUnits(String(nearest), decimals)
        expect(rounded(figure, decimals).replace(/^-/, '')).toBe(expected)
      },
    ),
  )
})

test('what a table shows differs from what it rounds', () => {
  expect(isExact('3000', '3,000.00')).toBe(true)
  expect(isExact('0.1', '0.10')).toBe(true)
  expect(isExact('0.101', '0.10')).toBe(false)
  expect(isExact('0.001', '<0.01')).toBe(false)
  expect(isExact('N/A', 'N/A')).toBe(true)
})

test('base units and percent', () => {
  expect([inUnits('2500000', 6), inUnits('1', 18), inUnits('0', 6), inUnits('7', 0)]).toEqual([
    '2.5',
    '0.000000000000000001',
    '0',
    '7',
  ])
  expect([percentOf(999n, 1000n), percentOf(0n, 7n), percentOf(7n, 7n), percentOf(0n, 0n)]).toEqual([99, 0, 100, 100])
})
