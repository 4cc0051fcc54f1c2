import { expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import { createResidueSymbol } from './quadratic-residue.ts'

const ROUNDS = inject('deep') ? 20_000 : 400

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
  const any = Array.from({ length: ROUNDS }, () => random.amount(0n, prime - 1n))
  for (const value of [...edges, ...powers, ...any]) {
    expect(symbol(value), `seed ${random.seed}, ${value}`).toBe(symbolByPower(value, prime))
  }
})
