import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimal, formatDecimal, fromRaw, toRaw } from './decimal.ts'

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
