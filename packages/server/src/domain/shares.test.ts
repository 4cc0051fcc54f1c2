import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal, formatDecimal, sum } from './decimal.ts'
import { percentages } from './shares.ts'

test.each([
  [
    ['1', '1', '1'],
    ['33.333334', '33.333333', '33.333333'],
  ],
  [
    ['2', '1'],
    ['66.666667', '33.333333'],
  ],
  [
    ['50', '30', '20'],
    ['50', '30', '20'],
  ],
  [
    ['0.000000000001', '1000000'],
    ['0', '100'],
  ],
  [
    ['60', '-10', '0', '40'],
    ['60', '0', '0', '40'],
  ],
  [
    ['-1', '0'],
    ['0', '0'],
  ],
  [[], []],
])('%j are %j', (values, expected) => {
  expect(percentages(values.map(decimal)).map(formatDecimal)).toEqual(expected)
})

test('sum to 100, none further than one part from its exact share, whatever the values', () => {
  const value = fc.bigInt({ min: 0n, max: 10n ** 30n })
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), (raw) => {
      const total = raw.reduce((all, one) => all + one, 0n)
      fc.pre(total > 0n)
      const shares = percentages(raw.map(decimal))
      expect(formatDecimal(sum(shares))).toBe('100')
      for (const [index, share] of shares.entries()) {
        const millionths = BigInt(share.times('1000000').toFixed(0))
        const exactTimesTotal = (raw[index] ?? 0n) * 100_000_000n
        const off = millionths * total - exactTimesTotal
        expect(off < total && off > -total).toBe(true)
      }
    }),
  )
})
