import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimal } from '../domain/decimal.ts'
import { sqrtPriceAtTick } from '../domain/tick-price.ts'
import { depthRaw, type PairPool, payoutRaw, type RangePool, spotRaw, strayed } from './pool.ts'

const pair: PairPool = { kind: 'uniswap_v2', tokenReserve: 1_000n, quoteReserve: 2_000n, feeMillionths: 3_000 }
const range: RangePool = {
  kind: 'uniswap_v3',
  tokenIs0: true,
  sqrtPriceX96: sqrtPriceAtTick(0),
  tick: 0,
  meanTick: null,
  liquidity: 10n ** 18n,
  quoteBalance: 10n ** 18n,
  crossings: [],
  knownTo: -15_360,
  feeMillionths: 3_000,
}

describe('a pair', () => {
  it('pays by the rule x·y = k after its fee', () => {
    // 100 sold, 99.7 of it counts: 99.7 · 2000 / (1000 + 99.7) = 181.3221788…
    expect(payoutRaw(pair, 100n).round(6).toFixed()).toBe('181.322179')
    expect(spotRaw(pair).toFixed()).toBe('2')
    expect(depthRaw(pair)).toBe(2_000n)
  })

  it('pays for one base unit as for any other amount', () => {
    const deep = { ...pair, tokenReserve: 10n ** 30n, quoteReserve: 10n ** 12n }
    expect(payoutRaw(deep, 1n).round(24).toFixed()).toBe('0.000000000000000000997')
  })

  it('never pays more than it has, nor more than in proportion to a smaller sale', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        fc.bigInt({ min: 1n, max: 10n ** 32n }),
        (tokenReserve, quoteReserve, amountRaw) => {
          const pool = { ...pair, tokenReserve, quoteReserve }
          const one = payoutRaw(pool, amountRaw)
          const two = payoutRaw(pool, 2n * amountRaw)
          expect(two.lt(decimal(quoteReserve))).toBe(true)
          expect(two.lte(one.times(2).plus(decimal('1e-17')))).toBe(true)
          expect(one.lte(spotRaw(pool).times(amountRaw.toString()))).toBe(true)
        },
      ),
    )
  })
})

describe('a pool of concentrated liquidity', () => {
  it.each([true, false])(
    'pays as a pair of its virtual reserves inside a stretch (token is token0: %s)',
    (tokenIs0) => {
      // At tick 0 both virtual reserves equal the liquidity: 10^15 sold is a pair's 10^18 · 0.997 · 10^15 / (10^18 + …).
      const pool = { ...range, tokenIs0, knownTo: tokenIs0 ? -15_360 : 15_360 }
      const twin: PairPool = { ...pair, tokenReserve: 10n ** 18n, quoteReserve: 10n ** 18n }
      for (const amountRaw of [1n, 10n ** 6n, 10n ** 15n, 10n ** 17n]) {
        const difference = payoutRaw(pool, amountRaw).minus(payoutRaw(twin, amountRaw)).abs()
        expect(difference.lte(decimal('0.000001')), `${amountRaw}`).toBe(true)
      }
      expect(spotRaw(pool).toFixed()).toBe('1')
    },
  )

  it('pays nothing beyond the ticks that are known', () => {
    const most = (10n ** 18n * ((1n << 96n) - sqrtPriceAtTick(-15_360))) >> 96n
    expect(
      payoutRaw(range, 10n ** 30n)
        .round(0, 0)
        .toFixed(),
    ).toBe(most.toString())
  })

  it.each([true, false])('takes and gives up liquidity at each tick (token is token0: %s)', (tokenIs0) => {
    // Half of the liquidity ends one spacing away. Up to there the sale uses all of it, from there on half.
    const side = tokenIs0 ? -1 : 1
    const half = { tick: 60 * side, net: (10n ** 18n / 2n) * BigInt(-side) }
    const pool = { ...range, tokenIs0, crossings: [half], knownTo: 15_360 * side }
    const whole = { ...range, tokenIs0, knownTo: 60 * side }
    const rest = {
      ...range,
      ...{
        tokenIs0,
        liquidity: range.liquidity / 2n,
        sqrtPriceX96: sqrtPriceAtTick(60 * side),
        knownTo: 15_360 * side,
      },
    }
    // The fee is per unit sold, so two sales may be added: one that fills the first range, then the rest.
    const first = payoutRaw(whole, 10n ** 30n)
    const filling = (10n ** 18n * ((1n << 96n) - sqrtPriceAtTick(-60))) / sqrtPriceAtTick(-60)
    const sold = (filling * 1_000_000n) / 997_000n
    const second = payoutRaw(rest, 10n ** 16n)
    const together = payoutRaw(pool, sold + 10n ** 16n)
    expect(together.minus(first).minus(second).abs().lte(decimal('10'))).toBe(true)
  })

  it('vouches with what is near the price, not with what it merely has', () => {
    expect(depthRaw({ ...range, liquidity: 10n })).toBe(10n)
    expect(depthRaw({ ...range, quoteBalance: 7n })).toBe(7n)
    expect(depthRaw({ ...range, tokenIs0: false, sqrtPriceX96: sqrtPriceAtTick(0) * 4n })).toBe(25n * 10n ** 16n)
  })

  it.each([
    [null, 0, undefined],
    [0, 488, false],
    [0, 489, true],
    [489, 0, true],
  ])('with a mean of %s stands at %i: strayed %s', (meanTick, tick, expected) => {
    expect(strayed({ ...range, meanTick, tick })).toBe(expected)
  })
})
