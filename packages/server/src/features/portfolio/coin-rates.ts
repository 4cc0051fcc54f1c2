import type { Decimal } from '../../domain/decimal.ts'
import type { Clock } from '../../lib/clock.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { type CoinRates, NO_COIN_RATES, RATED_COINS } from './conversion-rates.ts'

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
}: {
  /** In the order of the coins; `undefined` for what nobody knows now. */
  usdPerEach(coins: typeof RATED_COINS): Promise<readonly (Decimal | undefined)[]>
  clock: Clock
}): LatestRates {
  let rates = NO_COIN_RATES
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> = Promise.resolve()
  const ask = async () => {
    const found = await usdPerEach(RATED_COINS)
    rates = new Map(RATED_COINS.map((coin, i) => [coin, found[i] ?? null]))
  }
  const renew = () => {
    if (clock.now() - askedAt < FRESH_MS) return
    askedAt = clock.now()
    asking = ask().catch(() => undefined)
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
