import type { Chain } from '../../../src/chains/chain.ts'
import type { ChainMeans, ChainReading } from '../../../src/chains/chain-reading.ts'
import { priceRead } from '../../../src/chains/shared/price-read.ts'
import { headGaps, uniqueGaps } from '../../../src/chains/shared/protocol-gaps.ts'
import type { WalletRead } from '../../../src/domain/wallet-read.ts'
import { createPriceGraphs, type PriceSourceModule } from '../../../src/prices/source-module.ts'
import { overrideSource } from '../../../src/prices/sources/override-prices.ts'
import { balanceRequest } from './requests.ts'

/** No price is read from the chain. */
type NoReader = Record<string, never>

export const pebblePriceSources: readonly PriceSourceModule<NoReader>[] = [overrideSource]

export function createPebbleReading({
  chains,
  pools,
  tokens: openTokens,
  settings,
  clock,
  log,
}: ChainMeans): ChainReading {
  const tokens = openTokens<NoReader>(async () => new Map())
  const { prices } = createPriceGraphs(pebblePriceSources, {
    names: settings.prices.sources,
    context: { ...settings.prices, spell: (address) => address.toLowerCase() },
    log,
  })

  async function collect(chain: Chain, wallet: string, before?: WalletRead): Promise<WalletRead> {
    const pool = pools.get(chain.key)
    if (!pool) throw new Error(`${chain.key} is not enabled`)
    const [{ height, time, amountRaw }, known] = await Promise.all([
      pool.session().request(balanceRequest(wallet)),
      tokens.of(chain),
    ])
    const holdings = amountRaw > 0n ? [{ token: chain.native.address, amountRaw, receipt: false }] : []
    const session = prices.open({ chain, reader: {} })
    const priced = await priceRead(session, known, { holdings, inside: [], before: before?.prices })
    return {
      ...{ chain: chain.key, wallet, block: height, blockTime: time, readAt: clock.now() },
      ...{ holdings, positions: [], prices: priced.prices },
      tokens: holdings.flatMap(({ token }) => known.find(token) ?? []),
      gaps: uniqueGaps([...headGaps(chain, time, clock), ...priced.gaps]),
    }
  }

  return {
    chains,
    tokens,
    async collect(chain, wallet, previous) {
      return { read: await collect(chain, wallet, previous?.read), plan: [], hash: null }
    },
    isReplaced: async () => false,
  }
}
