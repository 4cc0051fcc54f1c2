import type { SolanaDevnet } from '../solana-devnet.ts'
import { demoAirdrops } from './demo-airdrops.ts'
import { demoPositions } from './demo-positions.ts'
import { publishPrices } from './demo-prices.ts'

/** As of the chain's current time. */
export const furnishDemoWallet = async (devnet: SolanaDevnet) => {
  const wallet = await devnet.keypair('demo wallet')
  const positions = await demoPositions(devnet, wallet)
  const airdrops = demoAirdrops(devnet, wallet.address)
  const refreshPrices = () => publishPrices(devnet)
  await refreshPrices()
  const lamports = devnet.chain.account(wallet.address)?.lamports ?? 0n
  return { furniture: { positions, airdrops, lamports }, refreshPrices }
}
