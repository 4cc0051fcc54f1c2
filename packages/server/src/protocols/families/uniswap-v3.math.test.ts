import Big from 'big.js'
import { describe, expect, it } from 'vitest'
import { collectable, principal, sqrtPriceAtTick } from './uniswap-v3.math.ts'

const Q96 = 1n << 96n
const MAX_TICK = 887_272

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

const share = { liquidity: 0n, insideLast0: 0n, insideLast1: 0n, owed0: 0n, owed1: 0n }
const nft = {
  tickLower: -10,
  tickUpper: 10,
  tick: 0,
  sqrtPriceX96: Q96,
  inside0: 0n,
  inside1: 0n,
  own: share,
  pooled: share,
}

describe('what a position pays', () => {
  it('is one token only outside its range', () => {
    const own = { ...share, liquidity: 10n ** 18n }
    const [below0, below1] = principal({ ...nft, own, tick: -11, sqrtPriceX96: sqrtPriceAtTick(-11) })
    const [above0, above1] = principal({ ...nft, own, tick: 10, sqrtPriceX96: sqrtPriceAtTick(10) })
    expect([below1, above0]).toEqual([0n, 0n])
    // 10^18 · (1.0001^5 − 1.0001^-5) ≈ 10^18 · 0.001 on either side.
    for (const amount of [below0, above1]) expect(Number(amount) / 1e18).toBeCloseTo(0.001, 6)
  })

  it('counts growth over the wrap of its counter', () => {
    // 3 · 2^128 grown since 2^256 − 2^128, which is now 2^129.
    const own = { ...share, liquidity: 5n, insideLast0: (1n << 256n) - (1n << 128n), owed0: 7n }
    const inside0 = 1n << 129n
    expect(collectable({ ...nft, inside0, own, pooled: own })[0]).toBe(7n + 15n)
  })

  it('is never more than the pool keeps for the range', () => {
    const own = { ...share, liquidity: 5n, owed1: 9n }
    expect(collectable({ ...nft, own, pooled: { ...own, owed1: 8n } })[1]).toBe(8n)
  })

  it('does not settle fees of a position without liquidity', () => {
    const own = { ...share, owed0: 4n }
    expect(collectable({ ...nft, inside0: 1n << 200n, own, pooled: { ...own, liquidity: 1n } })).toEqual([4n, 0n])
  })
})
