import { pythFeeds, pythPrice } from '@coffer/solana-fixtures'
import type { SolanaDevnet } from '../solana-devnet.ts'
import { replaceFixture } from './place-fixture.ts'

/** USD with 8 decimals. */
const PRICES = { SOL: 15_000_000_000n, USDC: 100_000_000n, USDT: 100_000_000n, JUP: 50_000_000n } as const

export const publishPrices = async (devnet: SolanaDevnet): Promise<void> => {
  const publishedAt = Number(devnet.chain.time())
  for (const [name, price] of Object.entries(PRICES)) {
    const feedId = pythFeeds[name as keyof typeof PRICES]
    replaceFixture(devnet, await pythPrice({ feedId, price, publishedAt }))
  }
}
