import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'coffer_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 256 bits need 43 digits of 5.954 bits. */
const secretLength = 43
/** 32 bits need 6. */
const checksumLength = 6
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`)

function base62(value: bigint, length: number): string {
  let rest = value
  let text = ''
  for (let i = 0; i < length; i += 1) {
    text = digits.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}

const checksumOf = (text: string) => base62(BigInt(crc32(text)), checksumLength)

/** `coffer_`, 256 random bits in base62, and the CRC-32 of both in base62, by which secret scanners recognize keys. */
export function generateKey(): string {
  const unsigned = prefix + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength)
  return unsigned + checksumOf(unsigned)
}

export function isWellFormedKey(text: string): boolean {
  return shape.test(text) && text.endsWith(checksumOf(text.slice(0, -checksumLength)))
}

export function displayOfKey(key: string): string {
  return `${prefix}…${key.slice(-4)}`
}
