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

/**
 * A new API key: `coffer_`, 256 random bits as 43 base62 digits, and the base62 CRC-32 of all that precedes it, so that a
 * mistyped key is told from an unknown one without looking it up, and secret scanners can be sure of what they found.
 */
export function generateKey(): string {
  const unsigned = prefix + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength)
  return unsigned + checksumOf(unsigned)
}

/** Whether a text can be a key at all: its shape and its checksum. */
export function isWellFormedKey(text: string): boolean {
  return shape.test(text) && text.endsWith(checksumOf(text.slice(0, -checksumLength)))
}

/** What may be shown of a key after its creation. */
export function displayOfKey(key: string): string {
  return `${prefix}…${key.slice(-4)}`
}
