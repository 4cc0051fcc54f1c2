import { startSolanaDevnet } from '../solana-devnet.ts'
import { buildDemoWallet } from './demo-wallet.ts'

export type SolanaDemoOptions = {
  /** A free one unless told. */
  port?: number
  /** The chain stays in the slot in which all is in place, so that what is read is what was placed. */
  standStill?: boolean
}

/** Building the wallet takes four days of the chain's time. */
const HEAD_START_SECONDS = 5 * 86_400
const MS = 1000
/** Looked at twice a second the chain is never more than two slots behind the real time. */
const KEEP_TIME_EVERY_MS = 500

/**
 * The local Solana chain with the demonstration wallet: what it holds and has staked, a position of every family, airdrops
 * in each state. Its time is the real one, and passes.
 */
export type SolanaDemo = Awaited<ReturnType<typeof startSolanaDemo>>

export const startSolanaDemo = async ({ standStill = false, ...options }: SolanaDemoOptions = {}) => {
  const now = Math.floor(Date.now() / MS)
  const devnet = await startSolanaDevnet({ ...options, unixTime: BigInt(now - HEAD_START_SECONDS) })
  const held = await buildDemoWallet(devnet)
  devnet.chain.setTime(BigInt(Math.floor(Date.now() / MS)))
  // The protocols' own libraries take a second to load: who wants the chain alone does not wait for them.
  const { furnishDemoWallet } = await import('./furnish-demo-wallet.ts')
  const { furniture, refreshPrices } = await furnishDemoWallet(devnet)
  if (!standStill) devnet.keepTime(KEEP_TIME_EVERY_MS)
  const emptyWallet = (await devnet.keypair('empty wallet')).address
  return {
    ...devnet,
    wallet: { ...held, ...furniture },
    emptyWallet,
    /** Makes Pyth's prices as young as the slot. */
    refreshPrices,
  }
}
