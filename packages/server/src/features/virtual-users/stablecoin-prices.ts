import type { TokenCatalog } from '../../catalog/token-catalog.ts'
import type { ReadTokens } from '../../chains/chain-reading.ts'
import { ZERO } from '../../domain/decimal.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { FxRate } from '../../prices/fx-rate.ts'
import type { CoinApi } from '../../prices/symbol-prices.ts'

/** CoinGecko IDs. No coin is assumed to hold its peg. */
const STABLECOINS: ReadonlyMap<string, string> = new Map([
  ['DAI', 'dai'],
  ['EURC', 'euro-coin'],
  ['FDUSD', 'first-digital-usd'],
  ['PYUSD', 'paypal-usd'],
  ['TUSD', 'true-usd'],
  ['USDC', 'usd-coin'],
  ['USDP', 'paxos-standard'],
  ['USDT', 'tether'],
])
const VALID_MS = 60_000

export type StablecoinPrices = ReturnType<typeof createStablecoinPrices>

/** A chain's only listed token of the symbol comes first, then APIs in order. */
export function createStablecoinPrices({
  chains,
  catalog,
  readTokens,
  coins,
  clock,
  log,
}: {
  chains: readonly string[]
  catalog: { list: TokenCatalog['list'] }
  readTokens: ReadTokens
  coins: readonly CoinApi[]
  clock: Clock
  log: WarnLog
}) {
  const kept = createKept<FxRate | undefined>({ clock, freshMs: VALID_MS })

  async function attempt(source: string, symbol: string, ask: () => Promise<FxRate | undefined>) {
    try {
      return await ask()
    } catch (err) {
      if (!(err instanceof UpstreamError)) throw err
      log.warn({ source, symbol, reason: err.message }, 'a source could not price a stablecoin; the next one is asked')
      return undefined
    }
  }

  async function onChain(chain: string, symbol: string): Promise<FxRate | undefined> {
    const listed = catalog.list(chain).filter((token) => token.symbol.toUpperCase() === symbol)
    const [token] = listed
    // Some of several tokens are bridged: they do not price the coin itself.
    if (!token || listed.length > 1) return undefined
    const { prices } = await readTokens(chain, new Map([[token.address, ZERO]]))
    const [price] = prices
    return price && { usd: price.usd, source: price.source }
  }

  async function find(symbol: string, id: string): Promise<FxRate | undefined> {
    for (const chain of chains) {
      const price = await attempt(chain, symbol, () => onChain(chain, symbol))
      if (price) return price
    }
    for (const { name, usdPerCoin } of coins) {
      const usd = await attempt(name, symbol, async () => {
        const found = await usdPerCoin(id)
        return found && { usd: found, source: name }
      })
      if (usd) return usd
    }
    return undefined
  }

  return {
    /** USD per unit. Does not reject if a source fails. */
    async price(symbol: string): Promise<FxRate | undefined> {
      const id = STABLECOINS.get(symbol)
      return id === undefined ? undefined : kept.get(symbol, () => find(symbol, id))
    },
  }
}
