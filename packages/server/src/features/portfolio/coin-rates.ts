import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { askCoinRates, type CoinRates, NO_COIN_RATES, type UsdPerEach } from './conversion-rates.ts'

/** Maximum age of rates. Coins that a wallet holds are priced by its own read. */
const FRESH_MS = 300_000
/** How long the first answer waits for them. */
const WAIT_MS = 2_000

/** What the coins are worth in USD that every answer names. */
export type LatestRates = {
  /** The last known rates; old ones are renewed in the background. */
  latest(): CoinRates
  /** Resolves once rates were requested, or after a time limit. Never rejects. */
  load(): Promise<void>
}

export function createLatestRates({
  usdPerEach,
  clock,
  log,
}: {
  usdPerEach: UsdPerEach
  clock: Clock
  log: Pick<Logger, 'warn'>
}): LatestRates {
  let rates = NO_COIN_RATES
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> = Promise.resolve()
  const ask = async () => {
    rates = await askCoinRates(usdPerEach)
  }
  const renew = () => {
    if (clock.now() - askedAt < FRESH_MS) return
    askedAt = clock.now()
    asking = ask().catch((err: unknown) =>
      log.warn({ err }, 'the rates of coins could not be read; the last known rates are kept'),
    )
  }
  return {
    latest() {
      renew()
      return rates
    },
    async load() {
      renew()
      if (rates === NO_COIN_RATES) await endedWithin(asking, WAIT_MS)
    },
  }
}
