import { getAddressDecoder, isOffCurveAddress } from '@solana/kit'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import { createResidueSymbol, isOnCurve } from './ed25519-curve.ts'

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

const VALUES = inject('deep') ? 20_000 : 400

/** By Euler's criterion: the value to the power of half the prime's predecessor. */
function symbolByPower(value: bigint, prime: bigint): number {
  let [power, base] = [1n, value]
  for (let exponent = (prime - 1n) / 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) power = (power * base) % prime
    base = (base * base) % prime
  }
  return power === prime - 1n ? -1 : Number(power)
}

it.each([
  ['2^255 − 19', 2n ** 255n - 19n],
  ['2^130 − 5', 2n ** 130n - 5n],
  ['a prime of the order of Ed25519', 2n ** 252n + 27742317777372353535851937790883648493n],
  ['one limb', 2n ** 19n - 1n],
  ['three', 3n],
])('the symbol modulo %s is that of a power', (_, prime) => {
  const random = seededRandom('quadratic residues')
  const symbol = createResidueSymbol(prime)
  const edges = [0n, 1n, 2n, 3n, prime - 1n, prime - 2n, (prime + 1n) / 2n].map((value) => value % prime)
  const powers = Array.from({ length: 256 }, (_unused, bit) => 2n ** BigInt(bit) % prime)
  const any = Array.from({ length: VALUES }, () => random.amount(0n, prime - 1n))
  for (const value of [...edges, ...powers, ...any]) {
    expect(symbol(value), `seed ${random.seed}, ${value}`).toBe(symbolByPower(value, prime))
  }
})
