import type { FixtureAccount } from '@coffer/solana-fixtures'
import { address } from '@solana/kit'
import type { SolanaDevnet } from '../solana-devnet.ts'

/** Puts accounts in place where there are none yet; throws where there is one. */
export const placeFixture = ({ chain }: Pick<SolanaDevnet, 'chain'>, accounts: readonly FixtureAccount[]): void => {
  for (const { address: at, owner, data, lamports } of accounts) {
    if (chain.account(address(at))) throw new Error(`the demonstration has ${at} already`)
    chain.setAccount(address(at), { owner: address(owner), data, lamports })
  }
}
