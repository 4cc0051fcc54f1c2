import { describe, expect, it } from 'vitest'
import { addressSeed, integerSeed, programAddress } from './program-address.ts'

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

describe('an address that a program derives', () => {
  it('is the one that the cluster knows', async () => {
    // The metadata of USDC on mainnet.
    const metadataProgram = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'
    const seeds = ['metadata', addressSeed(metadataProgram), addressSeed(USDC)]
    expect(await programAddress(metadataProgram, seeds)).toBe('5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq')
  })

  it('takes addresses and integers as the bytes that programs hash', async () => {
    expect(Array.from(integerSeed(258, 2))).toEqual([2, 1])
    expect(Array.from(integerSeed(1n, 8))).toEqual([1, 0, 0, 0, 0, 0, 0, 0])
    expect(addressSeed('11111111111111111111111111111111')).toEqual(new Uint8Array(32))
    const [owner, other] = [USDC, TOKEN_PROGRAM].map(addressSeed)
    const account = (wallet: Uint8Array | undefined) =>
      programAddress(ASSOCIATED_TOKEN_PROGRAM, [wallet ?? '', addressSeed(TOKEN_PROGRAM), addressSeed(USDC)])
    expect(await account(owner)).not.toBe(await account(other))
  })

  it('refuses what a program could not derive', async () => {
    await expect(programAddress(TOKEN_PROGRAM, [new Uint8Array(33)])).rejects.toThrow()
    await expect(programAddress('not an address', [])).rejects.toThrow()
  })
})
