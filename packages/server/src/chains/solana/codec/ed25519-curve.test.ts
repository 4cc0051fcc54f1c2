import { getAddressDecoder, isOffCurveAddress } from '@solana/kit'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import { isOnCurve } from './ed25519-curve.ts'

const ROUNDS = inject('deep') ? 50_000 : 500

const littleEndian = (value: bigint) =>
  Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(index * 8)) & 0xffn))

describe('isOnCurve', () => {
  it('says of random bytes what another implementation says', () => {
    const random = seededRandom('ed25519')
    let on = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = Uint8Array.from({ length: 32 }, () => random.index(256))
      const isOff = isOffCurveAddress(getAddressDecoder().decode(bytes))
      expect(isOnCurve(bytes), `seed ${random.seed}, round ${round}`).toBe(!isOff)
      if (!isOff) on += 1
    }
    expect(on).toBeGreaterThan(ROUNDS / 3)
    expect(on).toBeLessThan((ROUNDS * 2) / 3)
  })

  it('knows the points whose x or y is small', () => {
    // y = 1 is the neutral point, y = 0 and y = 4/5, the base point, are on the curve; no point has y = 2 or y = 7.
    const base = littleEndian(46316835694926478169428394003475163141307993866256225615783033603165251855960n)
    expect([littleEndian(1n), littleEndian(0n), base].map(isOnCurve)).toEqual([true, true, true])
    expect([littleEndian(2n), littleEndian(7n)].map(isOnCurve)).toEqual([false, false])
  })
})
