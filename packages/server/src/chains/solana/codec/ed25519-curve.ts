/** Limbs of 26 bits: products and sums stay exact in a double. */
const LIMBS = 10
const LIMB_BITS = 26
const LIMB = 2 ** LIMB_BITS
const STEPS = 24
const STEP = 2 ** STEPS

/** Ed25519: −x² + y² = 1 + d·x²·y² modulo 2^255 − 19. */
const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
/** The topmost bit is the sign of x. */
const Y_MASK = 2n ** 255n - 1n
const symbolOf = createResidueSymbol(P)

export function isOnCurve(bytes: Uint8Array): boolean {
  const y = littleEndian(bytes) & Y_MASK
  const ySquared = (y * y) % P
  // x² = u / v, and a quotient is a square exactly where the product is.
  const u = (ySquared - 1n + P) % P
  const v = (D * ySquared + 1n) % P
  return symbolOf((u * v) % P) >= 0
}

function littleEndian(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 32)
  const word = (index: number) => view.getBigUint64(index * 8, true) << BigInt(index * 64)
  return word(0) | word(1) | word(2) | word(3)
}

type Limbs = Float64Array

const at = (limbs: Limbs, place: number): number => limbs[place] ?? 0

/** Value < prime < 2^260. T. Pornin, Optimized Binary GCD for Modular Inversion, 2020. Faster than bigints. */
export function createResidueSymbol(prime: bigint): (value: bigint) => -1 | 0 | 1 {
  const ofPrime = limbsOf(prime, new Float64Array(LIMBS))
  const factors = new Float64Array(4)
  let [a, b, nextA, nextB] = Array.from({ length: 4 }, () => new Float64Array(LIMBS)) as [Limbs, Limbs, Limbs, Limbs]

  return (value) => {
    if (value === 0n) return 0
    limbsOf(value, a)
    b.set(ofPrime)
    let flips = 0
    for (let last = topOf(a, b, LIMBS - 1); last > 0; last = topOf(a, b, last)) {
      flips ^= halve(a, b, last, factors)
      combine(a, b, at(factors, 0), at(factors, 1), last, nextA)
      combine(a, b, at(factors, 2), at(factors, 3), last, nextB)
      makePositive(nextB, last)
      // The symbol of −1 is −1 where the other number is 3 modulo 4.
      if (makePositive(nextA, last)) flips ^= at(nextB, 0) >> 1
      ;[a, b, nextA, nextB] = [nextA, nextB, a, b]
    }
    return symbolOfSmall(at(a, 0), at(b, 0), flips)
  }
}

function topOf(a: Limbs, b: Limbs, from: number): number {
  let place = from
  while (place > 0 && at(a, place) + at(b, place) === 0) place -= 1
  return place
}

function limbsOf(value: bigint, into: Limbs): Limbs {
  let rest = value
  for (let i = 0; i < LIMBS; i += 2) {
    const two = Number(BigInt.asUintN(2 * LIMB_BITS, rest))
    const high = Math.floor(two / LIMB)
    into[i] = two - high * LIMB
    into[i + 1] = high
    rest >>= BigInt(2 * LIMB_BITS)
  }
  return into
}

/** Returns sign changes in the lowest bit. */
function halve(a: Limbs, b: Limbs, last: number, factors: Float64Array): number {
  let lowA = at(a, 0) | (at(a, 1) << LIMB_BITS)
  let lowB = at(b, 0) | (at(b, 1) << LIMB_BITS)
  let topA = at(a, last) * LIMB + at(a, last - 1)
  let topB = at(b, last) * LIMB + at(b, last - 1)
  let fA = 1
  let gA = 0
  let fB = 0
  let gB = 1
  let flips = 0
  for (let step = 0; step < STEPS; step += 1) {
    if ((lowA & 1) === 1) {
      if (topA < topB) {
        ;[topA, topB] = [topB, topA]
        ;[lowA, lowB] = [lowB, lowA]
        ;[fA, fB] = [fB, fA]
        ;[gA, gB] = [gB, gA]
        // Reciprocity: both are 3 modulo 4.
        flips ^= (lowA & lowB) >> 1
      }
      topA -= topB
      lowA = (lowA - lowB) | 0
      fA -= fB
      gA -= gB
    }
    topA *= 0.5
    lowA >>= 1
    fB *= 2
    gB *= 2
    // The symbol of 2 is −1 where the other number is 3 or 5 modulo 8.
    flips ^= (lowB >> 1) ^ (lowB >> 2)
  }
  factors[0] = fA
  factors[1] = gA
  factors[2] = fB
  factors[3] = gB
  return flips
}

/** The sign is in the last limb. */
function combine(a: Limbs, b: Limbs, f: number, g: number, last: number, into: Limbs): void {
  let carry = 0
  let high = 0
  for (let i = 0; i <= last; i += 1) {
    const sum = at(a, i) * f + at(b, i) * g + carry
    carry = Math.floor(sum / LIMB)
    const limb = sum - carry * LIMB
    const highOfLimb = Math.floor(limb / STEP)
    if (i > 0) into[i - 1] = high + (limb - highOfLimb * STEP) * (LIMB / STEP)
    high = highOfLimb
  }
  into[last] = high + carry * (LIMB / STEP)
  into.fill(0, last + 1)
}

function makePositive(limbs: Limbs, last: number): boolean {
  if (at(limbs, last) >= 0) return false
  let borrow = 0
  for (let i = 0; i < last; i += 1) {
    const limb = -at(limbs, i) - borrow
    borrow = limb < 0 ? 1 : 0
    limbs[i] = limb + borrow * LIMB
  }
  limbs[last] = -at(limbs, last) - borrow
  return true
}

function symbolOfSmall(top: number, bottom: number, before: number): -1 | 0 | 1 {
  let [a, b, flips] = [top, bottom, before]
  while (a !== 0) {
    if (a % 2 === 1) {
      if (a < b) {
        ;[a, b] = [b, a]
        flips ^= (a & b) >> 1
      }
      a -= b
    }
    a /= 2
    flips ^= (b >> 1) ^ (b >> 2)
  }
  if (b !== 1) return 0
  return (flips & 1) === 1 ? -1 : 1
}
