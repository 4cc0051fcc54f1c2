import { NATIVE_SOL } from '../../../domain/solana-address.ts'
import feeds from './pyth-feeds.json' with { type: 'json' }
import type { PythRow } from './pyth-prices.ts'

const rows = feeds as unknown as readonly [symbol: string, token: string, feedId: string][]

/**
 * Pyth's feeds in USD that its own pushers keep on Solana, both before and since the upgrade of 2026, of tokens whose mints
 * are published too: by Drift's SDK, by Orca, by Helium. Feeds that nobody is known to push have no row: their accounts
 * are stale or are not there. The staked SOL in this list is priced by what it stands for first.
 */
export const PUBLISHED_PYTH_FEEDS: readonly PythRow[] = rows.map(([, token, feedId]) => ({
  chain: 'solana',
  token: token === 'native' ? NATIVE_SOL : token,
  feedId,
}))
