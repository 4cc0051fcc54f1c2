import type { SolanaDevnet } from '../solana-devnet.ts'
import { demoAirdrops } from './demo-airdrops.ts'
import { demoPositions } from './demo-positions.ts'
import { publishPrices } from './demo-prices.ts'

/** Gives the demonstration wallet a position of every family and airdrops, as of the chain's present time, and prices. */
export const furnishDemoWallet = async (devnet: SolanaDevnet) => {
  const wallet = await devnet.keypair('demo wallet')
  const positions = await demoPositions(devnet, wallet)
  const airdrops = demoAirdrops(devnet, wallet.address)
  const refreshPrices = () => publishPrices(devnet)
  await refreshPrices()
  const lamports = devnet.chain.account(wallet.address)?.lamports ?? 0n
  return { furniture: { positions, airdrops, lamports }, refreshPrices }
}
