import type { Kept } from '../../../lib/kept.ts'
import type { SampledWarn } from '../../../lib/sampled-log.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { FxRate } from '../../../prices/fx-rate.ts'
import type { Chain } from '../../chain.ts'
import type { SolanaContext } from '../collect/context.ts'

/** A portfolio is fresh that long. */
export const RATE_VALID_MS = 60_000

type RateContext = SolanaContext & { nativeRates: Kept<FxRate | undefined>; warn: SampledWarn }

export async function nativeRate(context: RateContext, currency: string): Promise<FxRate | undefined> {
  const chain = [...context.chains.values()].find(({ native }) => native.symbol === currency)
  return chain && context.nativeRates.get(currency, () => priceOfNative(context, chain))
}

async function priceOfNative({ prices, openReader, warn }: RateContext, chain: Chain): Promise<FxRate | undefined> {
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
