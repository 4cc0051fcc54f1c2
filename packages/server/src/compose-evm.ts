import { NAV_CURRENCIES } from '@coffer/contract'
import type { Config } from './config/config.ts'
import { settingOf } from './config/config.ts'
import type { Database } from './db/database.ts'
import { type EvmAddress, evmAddress } from './domain/evm-address.ts'
import { createCollect } from './features/portfolio/collect.ts'
import { createDiscovery } from './features/portfolio/discovery.ts'
import { createDiscoveryStore } from './features/portfolio/discovery-store.ts'
import { createInstrumentStore } from './features/portfolio/instrument-store.ts'
import { createInstruments, type Instruments } from './features/portfolio/instruments.ts'
import type { UsdPer } from './features/portfolio/nav.ts'
import { createPricesAt } from './features/portfolio/prices-at.ts'
import { createReadTokens } from './features/portfolio/read-tokens.ts'
import { createRecognise } from './features/portfolio/recognise.ts'
import { createRefresh } from './features/portfolio/refresh.ts'
import { createRefusingTokens } from './features/portfolio/refusing-tokens.ts'
import { createStrangerStore } from './features/portfolio/stranger-store.ts'
import { createStrangers } from './features/portfolio/strangers.ts'
import type { TokenStore } from './features/portfolio/token-store.ts'
import { createTokens } from './features/portfolio/tokens.ts'
import type { WalletReadStore } from './features/portfolio/wallet-read-store.ts'
import type { Chain } from './kinds/chain.ts'
import { addressesWithCode } from './kinds/evm/activity/account-states.ts'
import { askPresence, type SeenBlock } from './kinds/evm/block-presence.ts'
import { bindProtocol, protocolLenses, protocolRows } from './kinds/evm/families/families.ts'
import type { Adapter } from './kinds/evm/families/family.ts'
import { evmKind } from './kinds/evm/kind.ts'
import { type ChainFxRates, createFxRates } from './kinds/evm/prices/fx-rates.ts'
import { poolLens } from './kinds/evm/prices/pool-lens.ts'
import { evmPriceSources } from './kinds/evm/prices/sources.ts'
import { createEvmReader } from './kinds/evm/reader/create-evm-reader.ts'
import type { EvmReader, PlannedCall } from './kinds/evm/reader/evm-reader.ts'
import { saleProbe } from './kinds/evm/reader/sale-probe.ts'
import { readTokenMetadata } from './kinds/evm/token-metadata.ts'
import { patientPool } from './kinds/rpc/patient-pool.ts'
import type { RpcPool } from './kinds/rpc/rpc-pool.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import { createPriceGraphs, fxApisOf } from './prices/source-module.ts'

type Dependencies = {
  config: Config
  db: Database['db']
  /** Those of the EVM that are enabled. */
  chains: ReadonlyMap<string, Chain>
  pools: ReadonlyMap<string, RpcPool>
  catalog: TokenCatalog
  store: WalletReadStore
  tokenStore: TokenStore
  clock: Clock
  log: Logger
}

/** `isPatient`: for background work, which waits while an endpoint limits the rate. */
type Opened = { plan?: readonly PlannedCall[] | undefined; at?: bigint | undefined; isPatient: boolean }

function createOpen({ chains, pools }: Pick<Dependencies, 'chains' | 'pools'>) {
  return (chainKey: string, { plan = [], at, isPatient }: Opened): EvmReader => {
    const chain = chains.get(chainKey)
    const pool = pools.get(chainKey)
    if (!chain || !pool) throw new Error(`${chainKey} is not enabled`)
    return createEvmReader({
      pool: isPatient ? patientPool(pool) : pool,
      chain,
      plan,
      lenses: [...protocolLenses, poolLens, saleProbe],
      ...(at !== undefined && { at }),
    })
  }
}

/**
 * USD per unit of several currencies; they share one reader per chain, which batches their requests. A refusal is not
 * retried: reads of wallets come first.
 */
function createUsdPerEach({
  chains,
  open,
  rates,
}: Pick<Dependencies, 'chains'> & { open: ReturnType<typeof createOpen>; rates: ChainFxRates }) {
  return async (currencies: readonly string[]) => {
    const readers = new Map<string, EvmReader>()
    const readerOf = (chain: string) => {
      if (!chains.has(chain)) return undefined
      const reader = readers.get(chain) ?? open(chain, { isPatient: false })
      readers.set(chain, reader)
      return reader
    }
    const found = await Promise.all(currencies.map((currency) => rates.usdPerUnit(currency, readerOf)))
    return found.map((rate) => rate?.usd)
  }
}

function composePrices({
  config,
  adapters,
  instruments,
  log,
}: {
  config: Config['prices']
  adapters: readonly Adapter[]
  instruments: Pick<Instruments, 'underlyingsOf'>
  log: Logger
}) {
  return createPriceGraphs(evmPriceSources, {
    names: config.sources,
    context: {
      ...{ setting: settingOf(config), overrides: config.overrides, spell: evmKind.spell },
      feeds: config.feeds.map(({ chain, token, ...leg }) => ({ chain, token, path: [leg] })),
      factories: adapters.flatMap(({ chain, poolFactory }) => (poolFactory ? [{ chain, ...poolFactory }] : [])),
      aaveAssets: (chain) => instruments.underlyingsOf(chain, 'aave'),
    },
    log,
  })
}

/** Composes reads of wallets from EVM nodes, and prices and exchange rates. */
export function composeEvm({ config, db, chains, pools, catalog, store, tokenStore, clock, log }: Dependencies) {
  const open = createOpen({ chains, pools })
  // Reads of past blocks are background work.
  const openReader = (chainKey: string, plan?: readonly PlannedCall[], at?: bigint) =>
    open(chainKey, { plan, at, isPatient: at !== undefined })

  const rows = [...protocolRows, ...config.protocols].filter((row) => chains.has(row.chain))
  const adapters = rows.map(bindProtocol)
  const discoveries = createDiscoveryStore(db)
  const tokens = createTokens<EvmReader>({
    ...{ catalog, store: tokenStore, clock },
    readMetadata: (reader, _, addresses) => readTokenMetadata(reader, addresses.map(evmAddress)),
  })
  const strangers = createStrangers({ store: createStrangerStore(db), tokens, log })
  const instruments = createInstruments({
    strangers,
    adapters,
    store: createInstrumentStore(db),
    tokens,
    openReader,
    clock,
    log,
  })
  const { prices, datedPrices } = composePrices({ config: config.prices, adapters, instruments, log })
  const collect = createCollect({
    ...{ openReader, catalog, tokens, discoveries, instruments, prices, clock, log },
    ...{ findContracts: createFindContracts(pools), refusingTokens: createRefusingTokens({ db, catalog, clock }) },
  })
  const recognise = createRecognise({
    ...{ instruments, strangers, tokens },
    openReader: (chain) => open(chain, { isPatient: true }),
  })
  const discovery = createDiscovery({ store: discoveries, pools, recognise })
  const refresh = createRefresh({
    ...{ chains, store, clock, log },
    collect: (chain, wallet, previous) => collect(chain, evmAddress(wallet), previous),
    discovery: { advance: (chain, wallet, head, asked) => discovery.advanceTo(chain, evmAddress(wallet), head, asked) },
    isReplaced: createIsReplaced(pools),
  })
  const rates = createFxRates({
    openReader: (chain) => (chains.has(chain) ? openReader(chain) : undefined),
    apis: fxApisOf(evmPriceSources, config.prices.sources, settingOf(config.prices)),
    currencies: NAV_CURRENCIES,
    clock,
    log,
  })
  const usdPer: UsdPer = async (currency) => (await rates.usdPerUnit(currency))?.usd
  return {
    openReader,
    collect,
    refresh,
    discovery,
    usdPer,
    usdPerEach: createUsdPerEach({ chains, open, rates }),
    rates,
    readTokens: createReadTokens({ chains, openReader, tokens, instruments, prices }),
    tokens,
    instruments,
    strangers,
    recognise,
    pricesAt: createPricesAt({
      ...{ chains, openReader, tokens, instruments, prices, datedPrices, clock, log },
    }),
  }
}

/**
 * Whether a stored block was reorganised away: no endpoint that answers has it. A lagging endpoint does not have a
 * newer block either, so unless the chain is local, one endpoint must have another block at that number.
 */
function createIsReplaced(pools: ReadonlyMap<string, RpcPool>) {
  return async ({ key, isLocal }: Chain, block: SeenBlock): Promise<boolean> => {
    const pool = pools.get(key)
    if (!pool) return false
    const { there, replaced, unknown } = await askPresence(pool, block)
    return there === 0 && (replaced > 0 || (isLocal && unknown > 0))
  }
}

function createFindContracts(pools: ReadonlyMap<string, RpcPool>) {
  return async (chain: string, among: readonly EvmAddress[], block: bigint): Promise<ReadonlySet<EvmAddress>> => {
    const pool = pools.get(chain)
    if (!pool) throw new Error(`${chain} is not enabled`)
    return pool.session().run((endpoint) => addressesWithCode(endpoint, among, block))
  }
}
