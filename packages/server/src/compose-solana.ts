import { NEED_NO_STATE } from './compose-prices.ts'
import type { Config, PriceSourceName } from './config/config.ts'
import type { Database } from './db/database.ts'
import { createCollectSolana } from './features/portfolio/collect-solana.ts'
import { createDatedPricesAt } from './features/portfolio/dated-prices-at.ts'
import { createRefresh } from './features/portfolio/refresh.ts'
import type { TokenStore } from './features/portfolio/token-store.ts'
import { createTokens } from './features/portfolio/tokens.ts'
import { createUsedProgramStore } from './features/portfolio/used-program-store.ts'
import { createUsedPrograms } from './features/portfolio/used-programs.ts'
import type { WalletReadStore } from './features/portfolio/wallet-read-store.ts'
import type { Chain } from './kinds/chain.ts'
import type { RpcPool } from './kinds/rpc/rpc-pool.ts'
import { createSolanaFamilies } from './kinds/solana/families/families.ts'
import { PUBLISHED_PYTH_FEEDS } from './kinds/solana/prices/published-pyth-feeds.ts'
import { createPythPrices } from './kinds/solana/prices/pyth-prices.ts'
import { createSolanaPoolPrices } from './kinds/solana/prices/solana-pool-prices.ts'
import { createSolanaReader } from './kinds/solana/reader/create-solana-reader.ts'
import { readMintTokens } from './kinds/solana/reader/mints.ts'
import type { SolanaReader } from './kinds/solana/reader/solana-reader.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import { createPriceGraph, RECEIPT } from './prices/price-graph.ts'
import type { PriceSource } from './prices/price-source.ts'
import { createCoingeckoPrices } from './prices/sources/coingecko-prices.ts'
import { createDefillamaPrices } from './prices/sources/defillama-prices.ts'
import { createJupiterPrices } from './prices/sources/jupiter-prices.ts'
import { createOverridePrices } from './prices/sources/override-prices.ts'

type Dependencies = {
  config: Pick<Config, 'prices'>
  db: Database['db']
  /** Those of Solana's kind that are enabled. */
  chains: ReadonlyMap<string, Chain>
  pools: ReadonlyMap<string, RpcPool>
  catalog: TokenCatalog
  store: WalletReadStore
  tokenStore: TokenStore
  clock: Clock
  log: Logger
}

/** Everything that turns nodes of Solana's kind into wallets' holdings. */
export function composeSolana({ config, db, chains, pools, catalog, store, tokenStore, clock, log }: Dependencies) {
  const opening =
    (terms: { final?: true }) =>
    (chain: string): SolanaReader => {
      const pool = pools.get(chain)
      if (!pool) throw new Error(`${chain} is not enabled`)
      return createSolanaReader(pool, terms)
    }
  const openReader = opening({})
  const openFinal = opening({ final: true })
  const tokens = createTokens<SolanaReader>({ catalog, store: tokenStore, readMetadata: readMintTokens, clock })
  const prices = createPriceGraph<SolanaReader>({ sources: sourcesOf(config.prices), log })
  const datedPrices = createPriceGraph<SolanaReader>({ sources: sourcesOf(config.prices, NEED_NO_STATE), log })
  const programs = createUsedPrograms({ store: createUsedProgramStore(db), pools })
  const families = new Map([...chains.keys()].map((chain) => [chain, createSolanaFamilies()]))
  const familiesOf = (chain: string) => families.get(chain) ?? []
  const parts = { familiesOf, tokens, prices, usedPrograms: programs.of, clock, log }
  const collect = createCollectSolana({ ...parts, openReader })
  /** Of slots that are final. */
  const collectFinal = createCollectSolana({ ...parts, openReader: openFinal })
  const refresh = createRefresh({
    ...{ chains, store, clock, log },
    collect: async (chain, wallet, previous) => ({
      read: await collect(chain, wallet, previous?.read),
      plan: [],
      hash: null,
    }),
    discovery: { advance: (chain, wallet) => programs.advance(chain, wallet) },
    isReplaced: async () => false,
  })
  const pricesAt = createDatedPricesAt({ chains, tokens, openReader, datedPrices })
  return {
    chains,
    openReader,
    openFinal,
    familiesOf,
    tokens,
    prices,
    collect,
    collectFinal,
    refresh,
    pricesAt,
    discovery: programs,
  }
}

/** In the operator's order, as far as they know anything of Solana. */
function sourcesOf(
  config: Config['prices'],
  names: readonly PriceSourceName[] = config.sources,
): (PriceSource<SolanaReader> | typeof RECEIPT)[] {
  const { coingeckoKey, jupiterKey } = config
  const make: Partial<Record<PriceSourceName, () => PriceSource<SolanaReader> | typeof RECEIPT>> = {
    override: () => createOverridePrices(config.overrides),
    receipt: () => RECEIPT,
    pyth: () => createPythPrices(PUBLISHED_PYTH_FEEDS),
    solana_pools: () => createSolanaPoolPrices(),
    defillama: () => createDefillamaPrices({ baseUrl: config.defillamaUrl.reveal() }),
    coingecko: () =>
      createCoingeckoPrices({
        baseUrl: config.coingeckoUrl.reveal(),
        ...(coingeckoKey && { apiKey: coingeckoKey.reveal() }),
      }),
    jupiter: () =>
      createJupiterPrices({
        baseUrl: config.jupiterUrl.reveal(),
        ...(jupiterKey && { apiKey: jupiterKey.reveal() }),
      }),
  }
  return config.sources.flatMap((name) => (names.includes(name) && make[name]?.()) || [])
}
