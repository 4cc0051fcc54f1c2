import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { askCoinRates, type CoinRates, NO_COIN_RATES, type UsdPerEach } from './conversion-rates.ts'

/** How old rates may be: of coins that a wallet holds, the answer has the price of its own. */
const FRESH_MS = 300_000
/** How long the first answer waits for them. */
const WAIT_MS = 2_000

/** What the coins are worth in USD that every answer names. */
export type LatestRates = {
  /** The last known ones, from memory; older ones are asked for anew behind. */
  latest(): CoinRates
  /** Ends when they were asked for once, or that takes too long. Never rejects. */
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
    asking = ask().catch((err: unknown) => log.warn({ err }, 'the rates of coins could not be asked for'))
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
