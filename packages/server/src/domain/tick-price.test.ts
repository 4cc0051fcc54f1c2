import { describe, expect, it } from 'vitest'
import { MAX_TICK, sqrtPriceAtTick } from './tick-price.ts'

describe('the price at a tick', () => {
  // Uniswap's TickMath names the outer two as MIN_SQRT_RATIO and MAX_SQRT_RATIO; zero is a price of one.
  it.each([
    [-MAX_TICK, 4295128739n],
    [0, 1n << 96n],
    [MAX_TICK, 1461446703485210103287273052203988822378723970342n],
  ])('%i', (tick, expected) => {
    expect(sqrtPriceAtTick(tick)).toBe(expected)
  })

  it('follows 1.0001^(tick/2)', () => {
    for (const tick of [-200_000, -60, -1, 1, 60, 887, 200_000]) {
      const ratio = Number(sqrtPriceAtTick(tick)) / 2 ** 96
      expect(Math.abs(ratio / 1.0001 ** (tick / 2) - 1)).toBeLessThan(1e-9)
    }
  })

  it.each([MAX_TICK + 1, -MAX_TICK - 1, 0.5])('refuses %d', (tick) => {
    expect(() => sqrtPriceAtTick(tick)).toThrow(RangeError)
  })
})
