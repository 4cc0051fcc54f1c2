import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import type { Logger } from '../../lib/logger.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { askCoinRates, type CoinRates, NO_COIN_RATES, type UsdPerEach } from './conversion-rates.ts'

const FRESH_MS = 300_000
const WAIT_MS = 2_000

export type LatestRates = ReturnType<typeof createLatestRates>

export function createLatestRates({
  usdPerEach,
  clock,
  log,
}: {
  usdPerEach: UsdPerEach
  clock: Clock
  log: Pick<Logger, 'warn'>
}) {
  const kept = createKept<CoinRates>({ clock, freshMs: FRESH_MS, goodMs: Number.POSITIVE_INFINITY })
  const ask = async (before = NO_COIN_RATES): Promise<CoinRates> => {
    try {
      return await askCoinRates(usdPerEach)
    } catch (err) {
      log.warn({ err }, 'the rates of coins could not be read; the last known rates are kept')
      return before
    }
  }
  const latest = () => kept.find('rates', ask)
  return {
    latest: () => latest() ?? NO_COIN_RATES,
    /** Never rejects. */
    async load(): Promise<void> {
      if (!latest()) await endedWithin(kept.get('rates', ask), WAIT_MS)
    },
  }
}
