import { NAV_CURRENCIES } from '@coffer/contract'
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
import { type ChainFxRates, createFxRates } from './kinds/evm/prices/fx-rates.ts'
import { poolLens } from './kinds/evm/prices/pool-lens.ts'
import { createEvmReader } from './kinds/evm/reader/create-evm-reader.ts'
import type { EvmReader, PlannedCall } from './kinds/evm/reader/evm-reader.ts'
import { saleProbe } from './kinds/evm/reader/sale-probe.ts'
import { readTokenMetadata } from './kinds/evm/token-metadata.ts'
import { patientPool } from './kinds/rpc/patient-pool.ts'
import type { RpcPool } from './kinds/rpc/rpc-pool.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'

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

/** `isPatient`: for work in the background, which waits where an endpoint is asked too often. */
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

/** USD per unit of several currencies, by one request for all of them. A refusal is not tried again: reads of wallets come first. */
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

/** Everything that turns nodes of the EVM into wallets' holdings, and into prices and rates. */
export function composeEvm({ config, db, chains, pools, catalog, store, tokenStore, clock, log }: Dependencies) {
  const open = createOpen({ chains, pools })
  // Nobody waits for what is read of the past.
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
  const { prices, datedPrices } = composePrices({
    config: config.prices,
    factories: adapters.flatMap(({ chain, poolFactory }) => (poolFactory ? [{ chain, ...poolFactory }] : [])),
    aaveAssets: (chain) => instruments.underlyingsOf(chain, 'aave'),
    log,
  })
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
    apis: composeFxApis(config.prices),
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
 * Whether a stored block is not on the chain any more, as all endpoints that answer say. One that lags behind says the same of a
 * block that is to come, so that on a chain that is not local one of them must have another block there.
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
