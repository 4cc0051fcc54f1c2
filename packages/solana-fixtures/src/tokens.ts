import { addressBytes, derived, NOBODY } from './addresses.ts'
import { type FixtureAccount, type FixtureToken, fixtureAccount } from './fixture.ts'
import { packed } from './layout.ts'

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'

export const mintAccount = (mint: string, decimals: number, supply = 0n, authority = NOBODY): FixtureAccount => {
  const data = packed([
    ['u32', 1],
    ['publicKey', authority],
    ['u64', supply],
    ['u8', decimals],
    ['bool', true],
    [{ array: ['u8', 36] }, []],
  ])
  return fixtureAccount(mint, TOKEN_PROGRAM, data)
}

export const tokenAccount = (at: string, owner: string, mint: string, amountRaw: bigint): FixtureAccount => {
  const data = packed([
    ['publicKey', mint],
    ['publicKey', owner],
    ['u64', amountRaw],
    [{ array: ['u8', 36] }, []],
    ['u8', 1],
    [{ array: ['u8', 56] }, []],
  ])
  return fixtureAccount(at, TOKEN_PROGRAM, data)
}

export const heldAccounts = async (
  wallet: string,
  token: FixtureToken,
  supply: bigint,
  authority = NOBODY,
): Promise<FixtureAccount[]> => {
  const seeds = [wallet, TOKEN_PROGRAM, token.mint].map(addressBytes)
  const own = await derived(ASSOCIATED_TOKEN_PROGRAM, seeds)
  return [
    mintAccount(token.mint, token.decimals, supply, authority),
    tokenAccount(own, wallet, token.mint, token.amountRaw),
  ]
}
