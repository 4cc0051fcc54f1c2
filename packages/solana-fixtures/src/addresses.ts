import { createHash } from 'node:crypto'
import { address, getAddressDecoder, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'

export const NOBODY = '11111111111111111111111111111111'
export const SOL = '11111111111111111111111111111111'
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
export const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Deterministic unused address. */
export const addressOf = (name: string): string => getAddressDecoder().decode(sha256(`coffer fixture ${name}`))

export const addressBytes = (value: string): Uint8Array => new Uint8Array(getAddressEncoder().encode(address(value)))

export const derived = async (program: string, seeds: (string | Uint8Array)[]): Promise<string> =>
  (await getProgramDerivedAddress({ programAddress: address(program), seeds }))[0]

/** Anchor's account type: eight bytes. */
export const anchorDiscriminator = (name: string): Uint8Array =>
  new Uint8Array(sha256(`account:${name}`)).subarray(0, 8)
