import { NATIVE_SOL } from '../../../domain/solana-address.ts'
import feeds from './pyth-feeds.json' with { type: 'json' }
import type { PythRow } from './pyth-prices.ts'

const rows = feeds as unknown as readonly [symbol: string, token: string, feedId: string][]

/**
 * USD feeds that Pyth's own pushers keep, before and since the upgrade of 2026. Mints: published by Drift's SDK, Orca
 * or Helium. Other feeds are stale or missing.
 */
export const PUBLISHED_PYTH_FEEDS: readonly PythRow[] = rows.map(([, token, feedId]) => ({
  chain: 'solana',
  token: token === 'native' ? NATIVE_SOL : token,
  feedId,
}))
