import type { Price } from '../../../domain/price.ts'
import type { Token } from '../../../domain/token.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKept } from '../../../lib/kept.ts'
import { createSampledWarn } from '../../../lib/sampled-log.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { FxRate } from '../../../prices/fx-rate.ts'
import type { PriceLog } from '../../../prices/price-graph.ts'
import type { Chain } from '../../chain.ts'
import type { ChainRates } from '../../chain-reading.ts'

/** A portfolio is fresh that long. */
const VALID_MS = 60_000

export function createNativeRates({
  chains,
  priceOf,
  clock,
  log,
}: {
  chains: ReadonlyMap<string, Chain>
  /** Price of one unit. */
  priceOf(chain: Chain, token: Token): Promise<Price | undefined>
  clock: Clock
  log: PriceLog
}): ChainRates {
  const kept = createKept<FxRate | undefined>({ clock, freshMs: VALID_MS })
  const warn = createSampledWarn(log)

  async function find(chain: Chain): Promise<FxRate | undefined> {
    try {
      const price = await priceOf(chain, { ...chain.native, chain: chain.key, listed: true })
      return price && { usd: price.usd, source: price.source }
    } catch (err) {
      if (!(err instanceof UpstreamError)) throw err
      warn(
        `${chain.key} ${err.message}`,
        { err, chain: chain.key },
        'a native coin could not be priced for conversions',
      )
      return undefined
    }
  }

  async function usdPerUnit(currency: string): Promise<FxRate | undefined> {
    const chain = [...chains.values()].find(({ native }) => native.symbol === currency)
    return chain && kept.get(currency, () => find(chain))
  }

  return {
    usdPerUnit,
    usdPerEach: (currencies) => Promise.all(currencies.map(async (currency) => (await usdPerUnit(currency))?.usd)),
  }
}
