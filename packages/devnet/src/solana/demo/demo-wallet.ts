import type { SolanaDevnet } from '../solana-devnet.ts'
import { demoStakes } from './demo-stakes.ts'
import { demoTokens } from './demo-tokens.ts'

const FUNDS = 100_000_000_000n

/**
 * All token types, stakes in every state. Takes two epochs of chain time: start five days back to end in the present.
 * The full demonstration adds positions and airdrops.
 */
export type DemoWallet = Awaited<ReturnType<typeof buildDemoWallet>>

export const buildDemoWallet = async (devnet: SolanaDevnet) => {
  const wallet = await devnet.keypair('demo wallet')
  await devnet.actions.sol.give(wallet.address, FUNDS)
  const tokens = await demoTokens(devnet, wallet)
  const stakes = await demoStakes(devnet, wallet)
  return {
    address: wallet.address,
    /** Without stakes and wrapped SOL. */
    lamports: devnet.chain.account(wallet.address)?.lamports ?? 0n,
    tokens,
    stakes,
  }
}
