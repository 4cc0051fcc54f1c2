import type { SolanaDevnet } from '../solana-devnet.ts'
import { demoStakes } from './demo-stakes.ts'
import { demoTokens } from './demo-tokens.ts'

const FUNDS = 100_000_000_000n

/**
 * A wallet with tokens of every kind and stakes in every state. Takes two epochs of the chain's time: start the chain five
 * days back to end in the present. Positions in protocols and airdrops come with the whole demonstration.
 */
export type DemoWallet = Awaited<ReturnType<typeof buildDemoWallet>>

export const buildDemoWallet = async (devnet: SolanaDevnet) => {
  const wallet = await devnet.keypair('demo wallet')
  await devnet.actions.sol.give(wallet.address, FUNDS)
  const tokens = await demoTokens(devnet, wallet)
  const stakes = await demoStakes(devnet, wallet)
  return {
    address: wallet.address,
    /** The wallet's own, stakes and wrapped SOL apart. */
    lamports: devnet.chain.account(wallet.address)?.lamports ?? 0n,
    tokens,
    stakes,
  }
}
