import { createHmac, timingSafeEqual } from 'node:crypto'

/** Seconds for which a code is shown. */
export const STEP_SECONDS = 30
const DIGITS = 6
/** Steps by which the clock of a phone may be wrong, either way. */
const TOLERANCE = 1

/** The code of a time step: RFC 6238 with HMAC-SHA-1 and six digits, as every app knows it. */
export function totpCode(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The step near `now` whose code this is, later than the last one that was taken; undefined for a code of none. */
export function stepOfCode(
  key: Buffer,
  code: string,
  { now, taken }: { now: number; taken: number },
): number | undefined {
  const steps = Array.from({ length: 2 * TOLERANCE + 1 }, (_, index) => now - TOLERANCE + index)
  const given = Buffer.from(code)
  return steps.find((step) => {
    const expected = Buffer.from(totpCode(key, step))
    return step > taken && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
