import { createKept } from '../../../lib/kept.ts'
import { createSampledWarn } from '../../../lib/sampled-log.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { FxRate } from '../../../prices/fx-rate.ts'
import type { Chain } from '../../chain.ts'
import type { ChainRates } from '../../chain-reading.ts'
import type { SolanaContext } from '../collect/context.ts'

/** A portfolio is fresh that long. */
const VALID_MS = 60_000

export function createNativeRates({ chains, prices, openReader, clock, log }: SolanaContext): ChainRates {
  const kept = createKept<FxRate | undefined>({ clock, freshMs: VALID_MS })
  const warn = createSampledWarn(log)

  async function find(chain: Chain): Promise<FxRate | undefined> {
    try {
      const token = { ...chain.native, chain: chain.key, listed: true }
      const session = prices.open({ chain, reader: openReader(chain.key) })
      const priced = await session.price([{ token, amountRaw: 10n ** BigInt(token.decimals) }])
      const price = priced.get(token.address)
      return price && { usd: price.usd, source: price.source }
    } catch (err) {
      if (!(err instanceof UpstreamError)) throw err
      const fields = { err, chain: chain.key }
      warn(`${chain.key} ${err.message}`, fields, 'a native coin could not be priced for conversions')
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
