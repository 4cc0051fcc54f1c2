import { base58 } from '@scure/base'
import { address, getProgramDerivedAddress } from '@solana/kit'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import { addressBytes, addressOf, integerSeed, programAddress } from './address.ts'

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

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const DERIVED = inject('deep') ? 20_000 : 300

describe('an address that a program derives', () => {
  it('is the one that the cluster knows', () => {
    // The metadata of USDC on mainnet.
    const metadataProgram = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'
    const seeds = ['metadata', addressBytes(metadataProgram), addressBytes(USDC)]
    expect(programAddress(metadataProgram, seeds)).toBe('5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq')
  })

  it('is the one that another implementation derives, whatever the seeds', async () => {
    const random = seededRandom('program addresses')
    for (let round = 0; round < DERIVED; round += 1) {
      const seeds = Array.from({ length: random.index(5) }, () =>
        Uint8Array.from({ length: random.index(33) }, () => random.index(256)),
      )
      const [expected] = await getProgramDerivedAddress({ programAddress: address(TOKEN_PROGRAM), seeds })
      expect(programAddress(TOKEN_PROGRAM, seeds), `seed ${random.seed}, round ${round}`).toBe(expected)
    }
  })

  it('takes addresses and integers as the bytes that programs hash', () => {
    expect(Array.from(integerSeed(258, 2))).toEqual([2, 1])
    expect(Array.from(integerSeed(1n, 8))).toEqual([1, 0, 0, 0, 0, 0, 0, 0])
    expect(addressBytes('11111111111111111111111111111111')).toEqual(new Uint8Array(32))
    const [owner, other] = [USDC, TOKEN_PROGRAM].map(addressBytes)
    const account = (wallet: Uint8Array | undefined) =>
      programAddress(ASSOCIATED_TOKEN_PROGRAM, [wallet ?? '', addressBytes(TOKEN_PROGRAM), addressBytes(USDC)])
    expect(account(owner)).not.toBe(account(other))
  })

  it('refuses what a program could not derive', () => {
    expect(() => programAddress(TOKEN_PROGRAM, [new Uint8Array(33)])).toThrow('33 bytes')
    expect(() => programAddress(TOKEN_PROGRAM, new Array(16).fill('seed'))).toThrow('16 seeds')
    expect(() => programAddress('not an address', [])).toThrow()
    expect(() => programAddress('So111', [])).toThrow('no address')
  })
})
