import { NAV_CURRENCIES } from '@coffer/contract'
import { composePools } from './compose-pools.ts'
import type { Config } from './config/config.ts'
import { settingOf } from './config/config.ts'
import type { Database } from './db/database.ts'
import type { Address } from './domain/address.ts'
import { createBalanceStore } from './features/history/balance-store.ts'
import { createHistoryStore } from './features/history/history-store.ts'
import { createFindTokenAccounts } from './features/history/token-account-store.ts'
import { createPortfolios } from './features/portfolio/portfolios.ts'
import { createNoteUse } from './features/retention/wallet-use.ts'
import type { Chain } from './kinds/chain.ts'
import { byKey } from './kinds/chain-catalog.ts'
import type { ChainKind, ChainKinds } from './kinds/kind.ts'
import type { KindRates, KindReading } from './kinds/kind-reading.ts'
import type { KindSettings } from './kinds/settings.ts'
import type { KindStores } from './kinds/stores.ts'
import type { ReadTokens } from './kinds/token-worth.ts'
import type { KnownTokens } from './kinds/tokens.ts'
import { createInstrumentStore } from './knowledge/instrument-store.ts'
import { createRefusingTokenStore } from './knowledge/refusing-token-store.ts'
import { createStrangerStore } from './knowledge/stranger-store.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import { createTokenStore } from './knowledge/token-store.ts'
import { createTokens } from './knowledge/tokens.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import type { Metrics } from './lib/metrics.ts'
import { UpstreamError } from './lib/upstream-error.ts'
import { createDiscoveryStore } from './reading/discovery-store.ts'
import { createRefresh } from './reading/refresh.ts'
import { createUsedProgramStore } from './reading/used-program-store.ts'
import { createWalletReadStore } from './reading/wallet-read-store.ts'

type Dependencies = {
  config: Config
  database: Pick<Database, 'db'>
  kinds: ChainKinds
  catalog: TokenCatalog
  metrics: Pick<Metrics, 'observeNode' | 'addGauge'>
  clock: Clock
  logger: Logger
}

export type Reading = ReturnType<typeof composeReading>

/** Composes reads of wallets on all enabled chains. */
export function composeReading({
  config,
  database: { db },
  kinds,
  catalog,
  metrics,
  clock,
  logger: log,
}: Dependencies) {
  const enabled = config.chains.filter(({ key }) => config.endpoints.has(key))
  const pools = composePools({ config, db, kinds, chains: byKey(enabled), metrics, clock, log })
  const tokenStore = createTokenStore(db)
  const historyStore = createHistoryStore(db)
  const stores = { ...createKindStores(db), histories: historyStore }
  const settings = settingsOf(config)
  const openKind = (kind: ChainKind) =>
    kind.open({
      ...{ chains: byKey(enabled.filter(({ family }) => family === kind.name)), pools, listed: catalog },
      tokens: (readMetadata) => createTokens({ catalog, store: tokenStore, readMetadata, clock }),
      ...{ stores, settings, clock, log },
    })
  const byKind: ReadonlyMap<string, KindReading> = new Map(kinds.list.map((kind) => [kind.name, openKind(kind)]))
  const readings = [...byKind.values()]
  for (const gauge of readings.flatMap(({ gauges = [] }) => gauges)) metrics.addGauge(gauge)
  const byChain = new Map(readings.flatMap((reading) => [...reading.chains.keys()].map((key) => [key, reading])))
  const readingOf = (chain: string): KindReading | undefined => byChain.get(chain)
  const enabledReading = whereEnabled(readingOf)
  const familyOf = (wallet: Address) => kinds.ofWallet(wallet)?.name
  const store = createWalletReadStore(db)
  const noteUse = createNoteUse({ db, clock, log })
  const refresh = createRefresh({ chains: byKey(enabled), readingOf: enabledReading, store, clock, log })
  return {
    /** All enabled chains. */
    enabled,
    pools,
    readings,
    /** By the name of the kind. */
    byKind,
    readingOf,
    /** As `readingOf`; throws for a chain that is not enabled. */
    enabledReading,
    historyStore,
    familyOf,
    /** Keys of the enabled chains on which an address can exist. */
    chainsOf: (wallet: Address) => enabled.filter(({ family }) => family === familyOf(wallet)).map(({ key }) => key),
    /** Tokens of an enabled chain, from memory. */
    knownTokens: (chain: Chain): Promise<KnownTokens> => enabledReading(chain.key).tokens.of(chain),
    refresh,
    portfolios: createPortfolios({ ...{ chains: enabled, familyOf, store, noteUse, clock, log }, refresh }),
    /** Records that a wallet was requested. */
    noteUse,
    rates: readings.find(({ rates }) => rates)?.rates ?? NO_RATES,
    readTokens: readTokensBy(readingOf),
  }
}

/** Where no kind of chain that is there knows rates. */
const NO_RATES: KindRates = {
  usdPerUnit: async () => undefined,
  usdPerEach: async (currencies) => currencies.map(() => undefined),
}

function whereEnabled(readingOf: (chain: string) => KindReading | undefined): (chain: string) => KindReading {
  return (chain) => {
    const reading = readingOf(chain)
    if (!reading) throw new Error(`${chain} is not enabled`)
    return reading
  }
}

function readTokensBy(readingOf: (chain: string) => KindReading | undefined): ReadTokens {
  return async (chain, ...asked) => {
    const readTokens = readingOf(chain)?.readTokens
    if (!readTokens) throw new UpstreamError('not-allowed', `${chain} is not enabled`)
    return readTokens(chain, ...asked)
  }
}

function createKindStores(db: Database['db']): Omit<KindStores, 'histories'> {
  return {
    instruments: createInstrumentStore(db),
    strangers: createStrangerStore(db),
    discoveries: createDiscoveryStore(db),
    refusals: createRefusingTokenStore(db),
    usedPrograms: createUsedProgramStore(db),
    sums: createBalanceStore(db),
    findTokenAccounts: createFindTokenAccounts(db),
  }
}

function settingsOf({ prices, protocols, bridges, explorers, airdrops }: Config): KindSettings {
  return {
    prices: { ...prices, setting: settingOf(prices), currencies: NAV_CURRENCIES },
    ...{ protocols, bridges, explorers, airdrops },
  }
}
