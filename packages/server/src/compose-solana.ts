import type { Config } from './config/config.ts'
import { settingOf } from './config/config.ts'
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
import { solanaKind } from './kinds/solana/kind.ts'
import { solanaPriceSources } from './kinds/solana/prices/sources.ts'
import { createSolanaReader } from './kinds/solana/reader/create-solana-reader.ts'
import { readMintTokens } from './kinds/solana/reader/mints.ts'
import type { SolanaReader } from './kinds/solana/reader/solana-reader.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import { createPriceGraphs } from './prices/source-module.ts'

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

/** Composes reads of wallets from Solana nodes, and prices. */
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
  const { prices, datedPrices } = createPriceGraphs(solanaPriceSources, {
    names: config.prices.sources,
    context: { setting: settingOf(config.prices), overrides: config.prices.overrides, spell: solanaKind.spell },
    log,
  })
  const programs = createUsedPrograms({ store: createUsedProgramStore(db), pools })
  const families = new Map([...chains.keys()].map((chain) => [chain, createSolanaFamilies()]))
  const familiesOf = (chain: string) => families.get(chain) ?? []
  const parts = { familiesOf, tokens, prices, usedPrograms: programs.of, clock, log }
  const collect = createCollectSolana({ ...parts, openReader })
  /** Reads finalized slots. */
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
