import { endpoints } from '@coffer/contract'
import type { FastifyInstance } from 'fastify'
import { composeAccess } from './compose-access.ts'
import { composeAirdrops } from './compose-airdrops.ts'
import { composeApprovals } from './compose-approvals.ts'
import { composeDoctor } from './compose-doctor.ts'
import { composeHistory } from './compose-history.ts'
import { composePools, poolGauges, proveAll, wrongEndpointsOf } from './compose-pools.ts'
import { composeReading, type Reading } from './compose-reading.ts'
import { composeRetention } from './compose-retention.ts'
import { composeBackfill, composeSnapshots } from './compose-snapshots.ts'
import { openStorage } from './compose-storage.ts'
import { composeValidators } from './compose-validators.ts'
import { composeVirtualUsers } from './compose-virtual-users.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { sizeGauges } from './db/size-gauges.ts'
import { isDatabaseUnavailable } from './db/unavailable.ts'
import { createWriteCheck } from './db/write-check.ts'
import type { NamedProtocol } from './domain/named-protocol.ts'
import type { Exchanges } from './exchanges/exchange.ts'
import { bootstrapOwner } from './features/accounts/owner.ts'
import { addressBookRoutes } from './features/address-book/address-book-routes.ts'
import { bundleRoutes } from './features/address-book/bundle-routes.ts'
import { airdropRoutes } from './features/airdrops/airdrop-routes.ts'
import { approvalRoutes } from './features/approvals/approval-routes.ts'
import { chainHandlers } from './features/chains/chain-routes.ts'
import { createProtocolLists } from './features/chains/protocol-list.ts'
import { creditsRoutes } from './features/credits/credits-routes.ts'
import { holdGauges } from './features/credits/hold-gauges.ts'
import { historyRoutes } from './features/history/history-routes.ts'
import { countSetAside } from './features/history/set-aside-store.ts'
import { createTransactionStore } from './features/history/transaction-store.ts'
import { createTransactionViews } from './features/history/transaction-views.ts'
import { iconRoutes } from './features/icons/icon-routes.ts'
import { createIconUrls } from './features/icons/icon-urls.ts'
import { createIcons } from './features/icons/icons.ts'
import { createLatestRates } from './features/portfolio/coin-rates.ts'
import { createNav } from './features/portfolio/nav.ts'
import { portfolioRoutes } from './features/portfolio/portfolio-routes.ts'
import { createPortfolioViews } from './features/portfolio/portfolio-views.ts'
import { createPresentation } from './features/portfolio/presentation.ts'
import type { SecretVault } from './features/secrets/secret-vault.ts'
import { snapshotRoutes } from './features/snapshots/snapshot-routes.ts'
import { validatorRoutes } from './features/validators/validator-routes.ts'
import { createVirtualPortfolioViews } from './features/virtual-users/virtual-portfolio-views.ts'
import type { VirtualPortfolios } from './features/virtual-users/virtual-portfolios.ts'
import { virtualUserRoutes } from './features/virtual-users/virtual-user-routes.ts'
import { createAdminApp } from './http/admin-app.ts'
import { createApp, type Service } from './http/app.ts'
import { httpGauges } from './http/http-gauges.ts'
import type { Handlers } from './http/mount.ts'
import { shutDown } from './http/shutdown.ts'
import { createJobs, type Jobs } from './jobs/queue.ts'
import type { Chain } from './kinds/chain.ts'
import { byKey } from './kinds/chain-catalog.ts'
import type { ChainKind } from './kinds/kind.ts'
import { kinds } from './kinds/kinds.ts'
import type { RpcPool } from './kinds/rpc/rpc-pool.ts'
import { createTokenCatalog } from './knowledge/token-catalog.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createEventLoopMonitor } from './lib/event-loop.ts'
import { limitReceiving } from './lib/http-client.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { createMetrics } from './lib/metrics.ts'

/** The whole service, wired, not yet listening. */
export type Context = {
  service: Service
  admin: FastifyInstance
  database: Database
  jobs: Jobs
  /**
   * Creates the owner's account in an empty database and returns its API key, which cannot be read again; the caller shows it.
   * Undefined where an account exists.
   */
  makeOwner(): Promise<string | undefined>
  /** Asks every endpoint which chain it is of, so that a wrong one is known before it is needed. Never rejects. */
  proveEndpoints(): Promise<void>
  /** Drains, leaves no hold behind, and closes everything. */
  stop(): Promise<void>
}

type AllHandlers = Handlers<typeof endpoints>

/** Optional replacements: the logger, and for tests the clock, the delay of the event loop and a wrapper around the handlers. */
export type Overrides = {
  clock?: Clock
  logger?: Logger
  eventLoopDelayMs?: () => number
  wrapHandlers?: (handlers: AllHandlers) => AllHandlers
}

/** The composition root: creates the parts of the service and passes each its dependencies. */
export async function createContext(config: Config, overrides: Overrides = {}): Promise<Context> {
  const {
    clock = systemClock,
    logger = createLogger({ level: config.logLevel }),
    wrapHandlers = (handlers) => handlers,
  } = overrides
  const opened = new AsyncDisposableStack()
  try {
    const eventLoopDelayMs =
      overrides.eventLoopDelayMs ?? opened.adopt(createEventLoopMonitor(), ({ stop }) => stop()).delayMs
    return await wire(config, opened, { clock, logger, eventLoopDelayMs, wrapHandlers })
  } catch (thrown) {
    await opened.disposeAsync()
    throw thrown
  }
}

/** Adds each resource to `opened` once it is open. They close in reverse order: at the end, or if wiring fails. */
async function wire(
  config: Config,
  opened: AsyncDisposableStack,
  { clock, logger, eventLoopDelayMs, wrapHandlers }: Required<Overrides>,
): Promise<Context> {
  limitReceiving(config.upstreamBytes)
  const { database, connection } = opened.adopt(await openStorage(config, logger), (storage) => storage.close())
  const catalog = createTokenCatalog({ chains: config.chains, configTokens: config.tokens })
  const metrics = createMetrics({ gauges: [...holdGauges(database.pool), ...sizeGauges(database.pool)] })
  const access = opened.adopt(await composeAccess({ config, database, logger }), ({ close }) => close())
  const reading = composeReading({ config, database, kinds, catalog, metrics, clock, logger })
  for (const gauges of poolGauges(reading.pools)) metrics.addGauges(gauges)
  const jobs = opened.adopt(createJobs({ connection, log: logger, works: config.roles.has('worker') }), ({ stop }) =>
    stop(),
  )
  const { vault, peppers } = access
  const common = { config, database, catalog, kinds, reading, clock, logger }
  const features = {
    airdrops: composeAirdrops(common),
    approvals: composeApprovals({ ...common, peppers }),
    virtualUsers: composeVirtualUsers({ ...common, vault }),
    history: composeHistory({ ...common, jobs }),
    snapshots: composeSnapshots({ ...common, jobs }),
    validators: composeValidators({ ...common, pools: reading.pools, jobs, metrics }),
  }
  composeRetention({ config, database, jobs, logger })
  const icons = createIcons({ chains: config.chains, tokens: catalog })
  const service = await createApp({
    endpoints,
    handlers: wrapHandlers(
      composeHandlers({ ...features, config, db: database.db, catalog, access, reading, clock, logger }),
    ),
    gates: access.gates,
    logger,
    metrics,
    publicRoutes: iconRoutes(icons),
    docs: config.docs,
    connectionLimits: config.connections,
    corsOrigins: config.corsOrigins,
    publicUrl: config.publicUrl ?? undefined,
    trustProxy: config.trustProxy,
    eventLoopDelayMs,
    isUnavailable: isDatabaseUnavailable,
  })
  for (const gauge of httpGauges(service)) metrics.addGauge(gauge)
  metrics.addGauge({
    name: 'coffer_history_set_aside',
    help: 'Wallets, by chain and step, whose following fails and is retried; coffer-admin sync status lists them',
    read: () => countSetAside(database.db).catch(() => Number.NaN),
  })
  const admin = createAdminApp({
    metrics,
    load: service.load,
    checkReady: createWriteCheck(database.pool),
    readyDetail: () => wrongEndpointsOf(reading.pools),
    logger,
  })
  await jobs.start()
  const finish = () => opened.disposeAsync()
  const stop = async () => {
    // Jobs drain while requests in flight still end.
    const drained = jobs.drain()
    await shutDown({ service, admin, finish, logger })
    await drained
  }
  const makeOwner = async () => (await bootstrapOwner(database.db, access.peppers))?.key
  return { service, admin, database, jobs, makeOwner, proveEndpoints: () => proveAll(reading.pools), stop }
}

/** Parts of the service that commands about virtual users need. `refresh` reads a source anew and stores it. */
export type VirtualUserTools = { exchanges: Exchanges; refresh: VirtualPortfolios['refresh'] }

/** The tools over a database that is open. The vault is opened when a secret is asked for. */
export function createVirtualUserTools(
  config: Config,
  { database, vault }: { database: Pick<Database, 'db'>; vault(): Promise<SecretVault> },
): VirtualUserTools {
  const [clock, logger] = [systemClock, createLogger({ level: 'silent' })]
  const catalog = createTokenCatalog({ chains: config.chains, configTokens: config.tokens })
  const reading = composeReading({ config, database, kinds, catalog, metrics: createMetrics(), clock, logger })
  const open: SecretVault['open'] = async (db, secret) => (await vault()).open(db, secret)
  const { exchanges, portfolios } = composeVirtualUsers({
    ...{ config, database, vault: { open }, catalog, kinds, reading, clock, logger },
  })
  return { exchanges, refresh: portfolios.refresh }
}

/** The nodes of a kind for an operator's command; they prove their chain as those of the service do. */
export function createPools(
  { chains, endpoints }: Config,
  { db }: Pick<Database, 'db'>,
  kind: ChainKind,
): ReadonlyMap<string, RpcPool> {
  const own = byKey(chains.filter(({ key, family }) => endpoints.has(key) && family === kind.name))
  const [clock, log] = [systemClock, createLogger({ level: 'silent' })]
  const config = { endpoints: new Map([...endpoints].filter(([key]) => own.has(key))) }
  return composePools({ config, db, kinds, chains: own, metrics: createMetrics(), clock, log })
}

/** The checks of `coffer-admin doctor`, over an open database. */
export const createDoctor = (
  config: Config,
  database: Pick<Database, 'db'>,
  openSecrets: () => Promise<unknown>,
): ReturnType<typeof composeDoctor> => composeDoctor(config, database, kinds, openSecrets)

/** Parts of the service that commands about snapshots need. */
export type SnapshotTools = ReturnType<typeof composeBackfill>

/** The tools over a database that is open. */
export function createSnapshotTools(config: Config, database: Pick<Database, 'db'>): SnapshotTools {
  const [clock, logger] = [systemClock, createLogger({ level: 'silent' })]
  const catalog = createTokenCatalog({ chains: config.chains, configTokens: config.tokens })
  const reading = composeReading({ config, database, kinds, catalog, metrics: createMetrics(), clock, logger })
  return composeBackfill({ config, database, kinds, catalog, reading, clock, logger })
}

function composeHandlers({
  config,
  db,
  catalog,
  access,
  reading,
  virtualUsers,
  airdrops,
  approvals,
  history,
  snapshots,
  validators,
  clock,
  logger,
}: {
  clock: Clock
  logger: Logger
  config: Config
  db: Database['db']
  catalog: ReturnType<typeof createTokenCatalog>
  access: Awaited<ReturnType<typeof composeAccess>>
  reading: Reading
  virtualUsers: ReturnType<typeof composeVirtualUsers>
  airdrops: ReturnType<typeof composeAirdrops>
  approvals: ReturnType<typeof composeApprovals>
  history: ReturnType<typeof composeHistory>
  snapshots: ReturnType<typeof composeSnapshots>
  validators: ReturnType<typeof composeValidators>
}): AllHandlers {
  const { portfolios } = reading
  const rates = createLatestRates({ usdPerEach: reading.rates.usdPerEach, clock, log: logger })
  const presentation = (chains: readonly Chain[], named: readonly NamedProtocol[]) =>
    createPresentation({ chains: byKey(chains), rows: named, iconUrls, latestRates: rates.latest })
  const iconUrls = (origin: string) => createIconUrls({ origin, tokens: catalog })
  const rows = [...kinds.protocols, ...config.protocols]
  const isEnabled = (chain: string) => config.endpoints.has(chain)
  const { change } = access
  return {
    ...addressBookRoutes({ db, change }),
    ...airdropRoutes({ views: airdrops, iconUrls }),
    ...approvalRoutes({ views: approvals, iconUrls }),
    ...bundleRoutes({ db, change }),
    ...creditsRoutes({ credits: access.credits }),
    ...chainHandlers({
      chains: config.chains,
      support: { readsPortfolio: isEnabled, readsTransactions: isEnabled },
      protocols: createProtocolLists({ system: kinds.protocols, user: config.protocols }),
      iconUrls,
    }),
    ...historyRoutes({
      views: createTransactionViews({
        store: createTransactionStore(db),
        chains: config.chains,
        isEnabled,
        async tokensOf(chain, tokens) {
          const known = await reading.knownTokens(chain)
          await known.load(tokens)
          return known.find
        },
        protocols: new Map(
          [...kinds.names.bridges, ...config.bridges, ...rows, ...kinds.names.labelled()]
            .toReversed()
            .map((row) => [row.key, row]),
        ),
        functionName: kinds.names.functionName,
        selectorsNamed: kinds.names.selectorsNamed,
        findBasis: history.accounts.findBasis,
        findSyncs: history.syncStore.find,
        noteUse: reading.noteUse,
        iconUrls,
      }),
      syncs: history.syncs,
      check: portfolios.check,
      change,
    }),
    ...portfolioRoutes({
      portfolios,
      views: createPortfolioViews({
        portfolios,
        presentation: presentation(reading.enabled, rows),
        rates,
        figures: history.figures,
      }),
      nav: createNav({ portfolios, usdPer: async (currency) => (await reading.rates.usdPerUnit(currency))?.usd }),
      findSyncs: history.findProgress,
    }),
    ...snapshotRoutes({ portfolios, change, ...snapshots }),
    ...validatorRoutes(validators),
    ...virtualUserRoutes({
      db,
      portfolios: createVirtualPortfolioViews({
        portfolios: virtualUsers.portfolios,
        presentation: presentation(config.chains, rows),
        rates,
        exchanges: virtualUsers.exchanges,
      }),
    }),
  }
}
