import Big from 'big.js'
import { describe, expect, it } from 'vitest'
import { MAX_TICK, sqrtPriceAtTick } from './tick-price.ts'

const Q96 = 1n << 96n

describe('the price at a tick', () => {
  it('is what Uniswap publishes for its limits', () => {
    expect(sqrtPriceAtTick(-MAX_TICK)).toBe(4_295_128_739n)
    expect(sqrtPriceAtTick(MAX_TICK)).toBe(1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n)
    expect(sqrtPriceAtTick(0)).toBe(Q96)
  })

  it('is √1.0001 to the power of the tick, for every bit of a tick', () => {
    const Exact = Big()
    Exact.DP = 80
    const root = new Exact('1.0001').sqrt()
    let power = root
    for (let bit = 0; bit < 19; bit += 1) {
      const ratio = new Exact(sqrtPriceAtTick(2 ** bit).toString()).div(Q96.toString()).div(power)
      expect(Math.abs(ratio.minus(1).toNumber())).toBeLessThan(1e-18)
      power = power.times(power).round(80)
    }
  })

  it('rises with the tick and refuses what is none', () => {
    for (const tick of [-MAX_TICK, -50_001, -1, 0, 1, 77_777, MAX_TICK - 1])
      expect(sqrtPriceAtTick(tick + 1)).toBeGreaterThan(sqrtPriceAtTick(tick))
    expect(() => sqrtPriceAtTick(MAX_TICK + 1)).toThrow(RangeError)
    expect(() => sqrtPriceAtTick(0.5)).toThrow(RangeError)
  })
})
