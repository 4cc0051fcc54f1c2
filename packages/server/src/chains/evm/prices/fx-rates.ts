import { type Decimal, decimal, ONE } from '../../../domain/decimal.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKept } from '../../../lib/kept.ts'
import type { WarnLog } from '../../../lib/logger.ts'
import { createSampledWarn } from '../../../lib/sampled-log.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { FxApi, FxRate } from '../../../prices/fx-rate.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { aggregatorChains, findAggregator, readFeed } from './chainlink-feed.ts'

type OpenReader = (chain: string) => EvmReader | undefined

/** Pegged since 1997: the central bank trades at this rate. */
const AED_PER_USD = decimal('3.6725')
/** As long as a portfolio counts as fresh. */
const VALID_MS = 60_000

/** USD per unit: Chainlink feeds first, then the APIs in order. */
export function createFxRates(deps: {
  openReader: OpenReader
  apis: readonly FxApi[]
  /** Upper-case codes; others have no rate. */
  currencies: readonly string[]
  clock: Clock
  log: WarnLog
}) {
  const kept = createKept<FxRate | undefined>({ clock: deps.clock, freshMs: VALID_MS })
  const warn = createSampledWarn(deps.log)
  const attempt = async (source: string, currency: string, ask: () => Promise<Decimal | undefined>) => {
    try {
      const usd = await ask()
      return usd && { usd, source }
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      warn(
        `${source} ${error.message}`,
        { source, currency, reason: error.message },
        'an exchange-rate source failed; if no other one answers, the currency cannot be converted: check the source',
      )
      return undefined
    }
  }

  const find = async (currency: string, openReader: OpenReader): Promise<FxRate | undefined> => {
    for (const chain of aggregatorChains) {
      const leg = findAggregator(chain, `${currency}/USD`)
      const reader = leg && openReader(chain)
      const rate = reader && (await attempt('chainlink', currency, async () => (await readFeed(reader, leg))?.value))
      if (rate) return rate
    }
    for (const api of deps.apis) {
      const rate = await attempt(api.name, currency, () => api.usdPerUnit(currency))
      if (rate) return rate
    }
    return undefined
  }

  return {
    async usdPerUnit(currency: string, openReader = deps.openReader): Promise<FxRate | undefined> {
      if (!deps.currencies.includes(currency)) return undefined
      if (currency === 'USD') return { usd: ONE, source: 'unit' }
      if (currency === 'AED') return { usd: ONE.div(AED_PER_USD), source: 'peg' }
      return kept.get(currency, () => find(currency, openReader))
    },
  }
}
