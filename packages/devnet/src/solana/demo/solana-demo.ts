import { startSolanaDevnet } from '../solana-devnet.ts'
import { buildDemoWallet } from './demo-wallet.ts'

export type SolanaDemoOptions = {
  /** Default: a free one. */
  port?: number
  /** Stops the clock after placement: reads match the placed values. */
  standStill?: boolean
}

/** Building the wallet takes four days of chain time. */
const HEAD_START_SECONDS = 5 * 86_400
const MS = 1000
/** At most two slots behind real time. */
const KEEP_TIME_EVERY_MS = 500

/** Follows real time. */
export type SolanaDemo = Awaited<ReturnType<typeof startSolanaDemo>>

export const startSolanaDemo = async ({ standStill = false, ...options }: SolanaDemoOptions = {}) => {
  const now = Math.floor(Date.now() / MS)
  const devnet = await startSolanaDevnet({ ...options, unixTime: BigInt(now - HEAD_START_SECONDS) })
  const held = await buildDemoWallet(devnet)
  devnet.chain.setTime(BigInt(Math.floor(Date.now() / MS)))
  // The protocols' libraries take a second to load.
  const { furnishDemoWallet } = await import('./furnish-demo-wallet.ts')
  const { furniture, refreshPrices } = await furnishDemoWallet(devnet)
  if (!standStill) devnet.keepTime(KEEP_TIME_EVERY_MS)
  const emptyWallet = (await devnet.keypair('empty wallet')).address
  return {
    ...devnet,
    wallet: { ...held, ...furniture },
    emptyWallet,
    refreshPrices,
  }
}
