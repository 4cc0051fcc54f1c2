import { createHmac, timingSafeEqual } from 'node:crypto'

export const STEP_SECONDS = 30
const DIGITS = 6
/** Steps by which a phone's clock may be wrong. */
const TOLERANCE = 1

/** RFC 6238 with HMAC-SHA-1 and six digits, which every app supports. */
export function totpCode(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** `taken`: last accepted step. */
export function stepOfCode(key: Buffer, code: string, { now, taken }: { now: number; taken: number }) {
  const steps = Array.from({ length: 2 * TOLERANCE + 1 }, (_, index) => now - TOLERANCE + index)
  const given = Buffer.from(code)
  return steps.find((step) => {
    const expected = Buffer.from(totpCode(key, step))
    return step > taken && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
