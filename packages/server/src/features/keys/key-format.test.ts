import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayOfKey, generateKey, isWellFormedKey } from './key-format.ts'

/** CRC-32 by its polynomial, bit by bit: an independent check. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const numberOf = (text: string) => [...text].reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n)

test('a key is coffer_, 43 digits of secret and the CRC-32 of both in 6 digits', () => {
  for (let i = 0; i < 200; i += 1) {
    const key = generateKey()
    expect(key).toMatch(/^coffer_[0-9A-Za-z]{49}$/)
    expect(numberOf(key.slice(7, 50))).toBeLessThan(2n ** 256n)
    expect(numberOf(key.slice(50))).toBe(BigInt(crc32(key.slice(0, 50))))
    expect(isWellFormedKey(key)).toBe(true)
  }
})

test('all 256 bits vary and no key comes twice', () => {
  const secrets = Array.from({ length: 500 }, () => numberOf(generateKey().slice(7, 50)))
  expect(new Set(secrets).size).toBe(500)
  const ever = secrets.reduce((all, secret) => all | secret, 0n)
  const always = secrets.reduce((all, secret) => all & secret, 2n ** 256n - 1n)
  expect(ever).toBe(2n ** 256n - 1n)
  expect(always).toBe(0n)
})

test('one wrong character anywhere makes a key malformed', () => {
  fc.assert(
    fc.property(fc.nat(55), fc.constantFrom(...alphabet, '_', '-', ' ', 'é'), (at, character) => {
      const key = generateKey()
      const changed = key.slice(0, at) + character + key.slice(at + 1)
      expect(isWellFormedKey(changed)).toBe(changed === key)
    }),
  )
})

test('any other text is malformed', () => {
  fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text)))
  const key = generateKey()
  const spelt = [` ${key}`, `${key} `, `${key}\n`, `${key}0`, key.slice(0, -1), key.toUpperCase()]
  for (const text of ['', 'coffer_', ...spelt]) {
    expect(isWellFormedKey(text)).toBe(false)
  }
})

test('the display shows the prefix and the last four characters', () => {
  expect(displayOfKey('coffer_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaWXYZ')).toBe('coffer_…WXYZ')
})
