import { NAV_CURRENCIES } from '@coffer/contract'
import { byKey } from './chains/catalog.ts'
import { addressesWithCode } from './chains/evm/activity/account-states.ts'
import { createEvmReader } from './chains/evm/create-evm-reader.ts'
import type { EvmReader, PlannedCall } from './chains/evm/evm-reader.ts'
import { readTokenMetadata } from './chains/evm/token-metadata.ts'
import type { RpcPool } from './chains/rpc/rpc-pool.ts'
import { createRpcPools } from './chains/rpc/rpc-pools.ts'
import type { TokenCatalog } from './chains/tokens.ts'
import { composeFxApis, composePrices } from './compose-prices.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { type EvmAddress, evmAddress } from './domain/evm-address.ts'
import { createCollect } from './features/portfolio/collect.ts'
import { createDiscovery } from './features/portfolio/discovery.ts'
import { createDiscoveryStore } from './features/portfolio/discovery-store.ts'
import { createInstrumentStore } from './features/portfolio/instrument-store.ts'
import { createInstruments } from './features/portfolio/instruments.ts'
import type { UsdPer } from './features/portfolio/nav.ts'
import { createPortfolios } from './features/portfolio/portfolios.ts'
import { createPricesAt } from './features/portfolio/prices-at.ts'
import { createReadTokens } from './features/portfolio/read-tokens.ts'
import { createRecognise } from './features/portfolio/recognise.ts'
import { createRefresh } from './features/portfolio/refresh.ts'
import { createTokenStore } from './features/portfolio/token-store.ts'
import { createTokens } from './features/portfolio/tokens.ts'
import { createWalletReadStore } from './features/portfolio/wallet-read-store.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { Metrics } from './lib/metrics.ts'
import { createFxRates } from './prices/fx-rates.ts'
import { poolLens } from './prices/pool-lens.ts'
import { protocolRows } from './protocols/catalog.ts'
import { protocolLenses } from './protocols/lenses.ts'
import { bindProtocol } from './protocols/registry.ts'

type Dependencies = {
  config: Config
  database: Pick<Database, 'db'>
  catalog: TokenCatalog
  metrics: Pick<Metrics, 'observeNode'>
  clock: Clock
  logger: Logger
}

export type Reading = ReturnType<typeof composeReading>

/** Everything that turns nodes into wallets' holdings. */
export function composeReading({ config, database: { db }, catalog, metrics, clock, logger }: Dependencies) {
  const chains = byKey(config.chains.filter(({ key }) => config.endpoints.has(key)))
  const pools = createRpcPools(config.endpoints, { clock, observe: metrics.observeNode })
  const openReader = (chainKey: string, plan: readonly PlannedCall[] = [], at?: bigint): EvmReader => {
    const chain = chains.get(chainKey)
    const pool = pools.get(chainKey)
    if (!chain || !pool) throw new Error(`${chainKey} is not enabled`)
    return createEvmReader({
      pool,
      chain,
      plan,
      lenses: [...protocolLenses, poolLens],
      ...(at !== undefined && { at }),
    })
  }

  const rows = [...protocolRows, ...config.protocols].filter((row) => chains.has(row.chain))
  const store = createWalletReadStore(db)
  const discoveries = createDiscoveryStore(db)
  const tokenStore = createTokenStore(db)
  const tokens = createTokens<EvmReader>({
    ...{ catalog, store: tokenStore },
    readMetadata: (reader, _, addresses) => readTokenMetadata(reader, addresses.map(evmAddress)),
  })
  const instruments = createInstruments({
    adapters: rows.map(bindProtocol),
    store: createInstrumentStore(db),
    tokens,
    openReader,
    clock,
    log: logger,
  })
  const { prices, datedPrices } = composePrices({
    config: config.prices,
    rows,
    aaveAssets: (chain) => instruments.underlyingsOf(chain, 'aave'),
    log: logger,
  })
  const findContracts = createFindContracts(pools)
  const collect = createCollect({
    ...{ openReader, catalog, tokens, discoveries, instruments, prices, findContracts, clock, log: logger },
  })
  const recognise = createRecognise({ instruments, tokens, openReader })
  const discovery = createDiscovery({ store: discoveries, pools, recognise })
  const refresh = createRefresh({ chains, collect, store, discovery, log: logger })
  const portfolios = createPortfolios({ chains: [...chains.keys()], store, refresh, clock, log: logger })
  const rates = createFxRates({
    openReader: (chain) => (chains.has(chain) ? openReader(chain) : undefined),
    apis: composeFxApis(config.prices),
    currencies: NAV_CURRENCIES,
    clock,
    log: logger,
  })
  const usdPer: UsdPer = async (currency) => (await rates.usdPerUnit(currency))?.usd
  const readTokens = createReadTokens({ chains, openReader, tokens, instruments, prices })
  const pricesAt = createPricesAt({
    ...{ chains, openReader, tokens, instruments, prices, datedPrices, clock, log: logger },
  })
  return {
    chains,
    pools,
    openReader,
    collect,
    refresh,
    discovery,
    portfolios,
    usdPer,
    rates,
    readTokens,
    tokens,
    instruments,
    recognise,
    pricesAt,
  }
}

function createFindContracts(pools: ReadonlyMap<string, RpcPool>) {
  return async (chain: string, among: readonly EvmAddress[], block: bigint): Promise<ReadonlySet<EvmAddress>> => {
    const pool = pools.get(chain)
    if (!pool) throw new Error(`${chain} is not enabled`)
    return pool.session().run((endpoint) => addressesWithCode(endpoint, among, block))
  }
}
