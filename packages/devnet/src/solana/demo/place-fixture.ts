import type { FixtureAccount } from '@coffer/solana-fixtures'
import { address } from '@solana/kit'
import type { SolanaDevnet } from '../solana-devnet.ts'

type Place = Pick<SolanaDevnet, 'chain'>

/** Replaces any existing account. */
export const replaceFixture = ({ chain }: Place, { address: at, owner, data, lamports }: FixtureAccount): void =>
  chain.setAccount(address(at), { owner: address(owner), data, lamports })

/** Throws if an account exists. */
export const placeFixture = (devnet: Place, accounts: readonly FixtureAccount[]): void => {
  for (const account of accounts) {
    if (devnet.chain.account(address(account.address))) {
      throw new Error(`the demonstration has ${account.address} already`)
    }
    replaceFixture(devnet, account)
  }
}
