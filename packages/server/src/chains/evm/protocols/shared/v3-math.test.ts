import { describe, expect, it } from 'vitest'
import { sqrtPriceAtTick } from '../../../../domain/tick-price.ts'
import { collectable, principal } from './v3-positions.ts'

const Q96 = 1n << 96n

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
    // 3 · 2^128 growth since 2^256 − 2^128, which has become 2^129.
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
