import { createHash } from 'node:crypto'

/** 32 bytes that look random and follow from what is given. */
export const seeded = (...parts: readonly (string | number)[]): Uint8Array =>
  new Uint8Array(createHash('sha256').update(parts.join('|')).digest())

/** An address that follows from what is given. */
export const seededAddress = (...parts: readonly (string | number)[]): string =>
  `0x${Buffer.from(seeded(...parts).subarray(12)).toString('hex')}`

export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replace(/^0x/, ''), 'hex'))
