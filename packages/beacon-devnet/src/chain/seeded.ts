import { createHash } from 'node:crypto'

export const seeded = (...parts: readonly (string | number)[]): Uint8Array =>
  new Uint8Array(createHash('sha256').update(parts.join('|')).digest())

export const seededAddress = (...parts: readonly (string | number)[]): string =>
  `0x${Buffer.from(seeded(...parts).subarray(12)).toString('hex')}`

export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replace(/^0x/, ''), 'hex'))
