import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimal, formatDecimal, fromRaw, proportion, toRaw } from './decimal.ts'

describe('toRaw', () => {
  test.each([
    ['1.5', 6, 1_500_000n],
    ['1.5', 0, 1n],
    ['0.0000019', 6, 1n],
    ['0.0000009', 6, 0n],
    ['123456789012345678901234567890.123456789012345678', 18, 123456789012345678901234567890123456789012345678n],
  ])('%s at %d decimals is %d', (amount, decimals, raw) => {
    expect(toRaw(decimal(amount), decimals)).toBe(raw)
  })

  test('gives back what base units make', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), fc.integer({ min: 0, max: 36 }), (raw, decimals) => {
        expect(toRaw(decimal(formatDecimal(fromRaw(raw, decimals))), decimals)).toBe(raw)
      }),
    )
  })
})

describe('proportion', () => {
  const figure = fc
    .record({ digits: fc.bigInt({ min: 0n, max: 10n ** 60n }), places: fc.integer({ min: -20, max: 90 }) })
    .map(({ digits, places }) => decimal(`${digits}e${-places}`))

  test('is what big.js makes of it, to the last digit', () => {
    fc.assert(
      fc.property(figure, figure, figure, (total, part, whole) => {
        fc.pre(!whole.eq(decimal('0')))
        expect(formatDecimal(proportion(total, part, whole))).toBe(formatDecimal(total.times(part).div(whole)))
      }),
    )
  })

  test.each([
    ['0.5', '0'],
    ['1.5', '2'],
    ['2.5', '2'],
    ['2.500001', '3'],
  ])('rounds %s of the last digit to %s', (units, expected) => {
    const rounded = proportion(decimal(`${units}e-59`), decimal('1'), decimal('10'))
    expect(rounded.eq(decimal(`${expected}e-60`))).toBe(true)
  })
})
