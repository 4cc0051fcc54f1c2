import { describe, expect, it } from 'vitest'
import { ALL, connectedFactor, debtAtTick, leftOf, ratioAtTick } from './math.ts'

// Figures of @jup-ag/lend-read 0.0.10 (`getRatioAtTick`, `mulBigNumber`, `processLiquidatedPosition`).

const RATIOS: readonly (readonly [number, bigint])[] = [
  [-16383, 6093n],
  [-8192, 1308662501n],
  [-463, 140620378111952n],
  [-75, 251546494607584n],
  [-1, 281053396615732n],
  [0, 281474976710656n],
  [1, 281897189175722n],
  [44, 300664221955546n],
  [722, 830669591488113n],
  [2463, 11291160519979057n],
  [2649, 14921619340065452n],
  [8191, 60450649565606482284n],
  [16383, 13002088162051014298412982n],
]
/** Factors: initial, current, and of two merged branches (0.8 and 1.25). */
const [BEGUN, NOW, FIRST, SECOND] = [1125899906826240n, 1029437080715263n, 900719925510109n, 703687441825758n]
const DEBT = 495_237_778_646n
const end = { tick: 2_300, partials: 123_456_789, factor: NOW }

describe('ticks of Jupiter Lend', () => {
  it.each(RATIOS)('are the ratio of the program at %i', (tick, ratio) => {
    expect(ratioAtTick(tick)).toBe(ratio)
  })

  // Vault, tick, collateral and debt from the program's event LogUserPosition in mainnet transactions, truncated to the
  // tokens' decimals. The event leaves out the two units that the program adds on reading a position.
  it.each([
    [3, 2649, 369_635_321n, 19_595_196n, 9, 6],
    [7, -75, 2_949_916_151_811n, 2_636_259_450_292n, 6, 6],
    [4, 44, 14_599_568_026n, 15_594_877_430n, 9, 9],
    [4, 5, 160_499_999_973n, 161_707_366_643n, 9, 9],
    [2, 2463, 159_432_704_653n, 6_395_525_035n, 9, 6],
    [8, 722, 355_991_523n, 1_050_577_697n, 6, 6],
  ])('give the debt that the program logged in vault %i at tick %i', (_, tick, collateral, debt, from, to) => {
    const [scaleFrom, scaleTo] = [10n ** BigInt(9 - from), 10n ** BigInt(9 - to)]
    const logged = (raw: bigint) => (debtAtTick(raw - 1n, tick) - 1n) / scaleTo
    expect(logged(collateral * scaleFrom)).toBeLessThanOrEqual(debt)
    expect(logged((collateral + 1n) * scaleFrom - 1n)).toBeGreaterThanOrEqual(debt)
  })

  it('leave of a liquidated position what its branch says', () => {
    expect(debtAtTick(12_345_678_901n, 2_463)).toBe(DEBT)
    expect(leftOf(DEBT, BEGUN, end)).toEqual({ supply: 7_214_779_699n, debt: 226_381_203_339n })
    const merged = connectedFactor(BEGUN, FIRST) ?? 0n
    expect(merged).toBe(900719925477376n)
    expect(leftOf(DEBT, merged, end)).toEqual({ supply: 9_018_474_623n, debt: 282_976_504_170n })
    const twice = connectedFactor(merged, SECOND) ?? 0n
    expect(leftOf(DEBT, twice, end)).toEqual({ supply: 7_214_779_698n, debt: 226_381_203_332n })
  })

  it('leave nothing below a hundredth, or where factors are beyond their range', () => {
    const small = (1n << 49n) | 16_377n
    expect(leftOf(DEBT, BEGUN, { ...end, factor: small })).toEqual({ supply: 0n, debt: 0n })
    const largest = (1n << 49n) | 32_767n
    expect(connectedFactor(largest, largest)).toBe(ALL)
  })

  it('are refused where the program refuses them', () => {
    expect(connectedFactor(1n << 49n, 1n << 49n)).toBeUndefined()
    expect(leftOf(DEBT, NOW - 1n, { ...end, factor: BEGUN })).toBeUndefined()
    expect(leftOf(DEBT, BEGUN, { ...end, tick: -(2 ** 31) })).toBeUndefined()
  })
})
