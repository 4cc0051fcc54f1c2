import { createResidueSymbol } from './quadratic-residue.ts'

/** Ed25519: −x² + y² = 1 + d·x²·y² modulo 2^255 − 19. */
const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
/** The topmost bit is the sign of x. */
const Y_MASK = 2n ** 255n - 1n
const symbolOf = createResidueSymbol(P)

/** Some ten times faster than decompressing the point. */
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
