import { base58 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import { addressBytes, addressOf } from './address-bytes.ts'

const ROUNDS = 2_000

describe('the bytes of an address', () => {
  it('match another implementation of base58, both ways', () => {
    const random = seededRandom('bytes of addresses')
    const zeros = Array.from({ length: 33 }, (_, zeroed) => (at: number) => (at < zeroed ? 0 : random.index(256)))
    const any = Array.from({ length: ROUNDS }, () => () => random.index(256))
    for (const byteAt of [...zeros, ...any, () => 255]) {
      const bytes = Uint8Array.from({ length: 32 }, (_, at) => byteAt(at))
      const text = base58.encode(bytes)
      expect(addressOf(bytes), `seed ${random.seed}`).toBe(text)
      expect(addressBytes(text), `seed ${random.seed}`).toEqual(bytes)
    }
  })

  it.each([
    ['nothing', ''],
    ['31 bytes', base58.encode(new Uint8Array(31).fill(7))],
    ['33 bytes', base58.encode(new Uint8Array(33).fill(7))],
    ['31 bytes of zero', '1'.repeat(31)],
    ['33 bytes of zero', '1'.repeat(33)],
    ['a zero too many before 31 bytes and one', `1${base58.encode(new Uint8Array(32).fill(7))}`],
    ['more than 32 bytes can hold', 'z'.repeat(44)],
    ['a character that is none', `0${base58.encode(new Uint8Array(32).fill(7)).slice(1)}`],
    ['a character of another script', 'é'.repeat(43)],
  ])('are not read from %s', (_, text) => {
    expect(() => addressBytes(text)).toThrow(RangeError)
  })

  it('are 32', () => {
    expect(() => addressOf(new Uint8Array(31))).toThrow('32 bytes')
  })
})
