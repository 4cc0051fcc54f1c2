import { startSolanaDevnet } from '../solana-devnet.ts'
import { buildDemoWallet } from './demo-wallet.ts'

export type SolanaDemoOptions = {
  /** A free one unless told. */
  port?: number
}

/** Building the wallet takes four days of the chain's time. */
const HEAD_START_SECONDS = 5 * 86_400
const MS = 1000
/** Looked at twice a second the chain is never more than two slots behind the real time. */
const KEEP_TIME_EVERY_MS = 500

/** The local Solana chain with the demonstration wallet; its time is the real one, and passes. */
export type SolanaDemo = Awaited<ReturnType<typeof startSolanaDemo>>

export const startSolanaDemo = async (options: SolanaDemoOptions = {}) => {
  const now = Math.floor(Date.now() / MS)
  const devnet = await startSolanaDevnet({ ...options, unixTime: BigInt(now - HEAD_START_SECONDS) })
  const wallet = await buildDemoWallet(devnet)
  devnet.chain.setTime(BigInt(Math.floor(Date.now() / MS)))
  devnet.keepTime(KEEP_TIME_EVERY_MS)
  return { ...devnet, wallet, emptyWallet: (await devnet.keypair('empty wallet')).address }
}
