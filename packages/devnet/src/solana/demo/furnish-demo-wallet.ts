import type { SolanaDevnet } from '../solana-devnet.ts'
import { demoAirdrops } from './demo-airdrops.ts'
import { demoPositions } from './demo-positions.ts'

/** Gives the demonstration wallet a position of every family and airdrops, as of the chain's present time. */
export const furnishDemoWallet = async (devnet: SolanaDevnet) => {
  const wallet = await devnet.keypair('demo wallet')
  const positions = await demoPositions(devnet, wallet)
  const airdrops = demoAirdrops(devnet, wallet.address)
  return { positions, airdrops, lamports: devnet.chain.account(wallet.address)?.lamports ?? 0n }
}
