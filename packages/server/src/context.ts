import { createEndpoints, NAV_CURRENCIES } from '@coffer/contract'
import { ofAccount, portalEndpoints } from '@coffer/contract/portal'
import type { FastifyInstance } from 'fastify'
import type { ChainTypes } from './chains/chain-type.ts'
import { chainTypes as shippedChainTypes } from './chains/chain-types.ts'
import { type Config, chainTypeSettingsOf } from './config/config.ts'
import { effectiveSettings } from './config/effective-settings.ts'
import { rpcVariable } from './config/env.ts'
import { type Database, openDatabase } from './db/database.ts'
import { ensurePostgres } from './db/embedded-postgres.ts'
import { sizeGauges } from './db/gauges.ts'
import { migrate } from './db/migrate.ts'
import { checkDatabase } from './db/start-check.ts'
import { createWriteCheck, isDatabaseUnavailable } from './db/unavailable.ts'
import { type Access, composeAccess } from './features/access/module.ts'
import { openEvents } from './features/events/event-feed.ts'
import { historyStores, openHistory } from './features/history/module.ts'
import { iconModule } from './features/icons/icons.ts'
import { openLive } from './features/live/module.ts'
import type { AllHandlers, PortalHandlers } from './features/module.ts'
import { composeFeatures } from './features/modules.ts'
import { recordWrites } from './features/portal-users/audit.ts'
import { composePortal } from './features/portal-users/module.ts'
import { composeShowing } from './features/portfolio/module.ts'
import { createPortfolios } from './features/portfolio/portfolios.ts'
import { PastReads } from './features/snapshots/past-reads.ts'
import { createUsageCounter, type UsageCounter } from './features/usage/module.ts'
import { createApp, httpGauges, type Service } from './http/app.ts'
import { authorize } from './http/authorize.ts'
import { createAdminApp } from './http/health-app.ts'
import { portalRoutes } from './http/portal-files.ts'
import { securityRoutes } from './http/security-txt.ts'
import { shutDown } from './http/shutdown.ts'
import { createJobs, type Jobs } from './jobs/queue.ts'
import { type Clock, monotonicTimer, systemClock, type Timer } from './lib/clock.ts'
import { createEventLoopMonitor } from './lib/event-loop.ts'
import { limitReceiving, useProxy } from './lib/http-client.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { createMetrics } from './lib/metrics.ts'
import { startTracing } from './lib/tracing.ts'
import { createReading } from './wallets/create-reading.ts'

export type Context = {
  service: Service
  admin: FastifyInstance
  database: Database
  jobs: Jobs
  usage: UsageCounter
  /** Returns the first API key, shown once; undefined if an account exists. */
  makeOwner(): Promise<string | undefined>
  makeSetupLink(): Promise<string | undefined>
  /** Detects wrong endpoints early. Never rejects. */
  proveEndpoints(): Promise<void>
  /** Spares the first caller a wait. Never rejects. */
  listAhead(): Promise<void>
  stop(): Promise<void>
}

export type Overrides = {
  chainTypes?: ChainTypes
  clock?: Clock
  timer?: Timer
  logger?: Logger
  eventLoopDelayMs?: () => number
  wrapHandlers?: (handlers: AllHandlers) => AllHandlers
}

type Opened = { database: Database; access: Access; jobs: Jobs; logger: Logger }

function openTracing({ otelUrl, roles }: Config, log: Logger) {
  const attributes = { 'coffer.roles': [...roles].join(',') }
  return otelUrl && startTracing({ url: otelUrl.reveal(), attributes, log })
}

export async function createContext(config: Config, overrides: Overrides = {}): Promise<Context> {
  // Closed in reverse order, also if wiring fails.
  await using opened = new AsyncDisposableStack()
  const { logger = createLogger({ level: config.logLevel }), clock = systemClock } = overrides
  limitReceiving(config.upstreamBytes)
  useProxy(config.proxy && { ...config.proxy, url: config.proxy.url.reveal() })
  opened.adopt(openTracing(config, logger), (tracing) => tracing?.stop())
  const { database, connection } = opened.adopt(await openStorage(config, logger), ({ close }) => close())
  const access = opened.adopt(await composeAccess(config, database, clock, logger), ({ close }) => close())
  const works = config.roles.has('worker')
  const jobs = opened.adopt(createJobs({ connection, log: logger, works }), ({ stop }) => stop())
  const ports = openPorts(config, overrides, { database, access, jobs, logger })
  const features = composeFeatures(ports)
  opened.defer(features.close)
  const { delayMs } = opened.adopt(createEventLoopMonitor(), ({ stop }) => stop())
  const { door, makeSetupLink } = composePortal(ports)
  const service = await openService(ports, features, door, { eventLoopDelayMs: delayMs, ...overrides })
  const { metrics, reading, usage } = ports
  for (const gauge of [...reading.gauges, ...features.gauges, ...httpGauges(service)]) metrics.addGauge(gauge)
  const admin = createAdminApp({
    metrics,
    load: service.load,
    checkReady: createWriteCheck(database.pool),
    readyDetail: () => ({
      ...reading.wrongEndpoints(),
      ...(database.replica && { replica: database.replica.state() }),
    }),
    logger,
  })
  await jobs.start(features.jobs)
  features.start()
  const kept = opened.move()
  const stop = async () => {
    const drained = jobs.drain()
    await shutDown(service, admin, () => kept.disposeAsync(), logger)
    await drained
  }
  const { makeOwner } = access
  const { proveEndpoints, listAhead } = reading
  return { service, admin, database, jobs, usage, makeOwner, makeSetupLink, proveEndpoints, listAhead, stop }
}

async function openStorage(config: Config, logger: Logger) {
  await using opened = new AsyncDisposableStack()
  const log = (message: string) => logger.info(message)
  const embedded = config.databaseUrl === null ? await ensurePostgres({ dataDir: config.dataDir, log }) : undefined
  opened.defer(async () => void (await embedded?.release()))
  const connection = embedded ? () => embedded.url() : (config.databaseUrl?.reveal() ?? '')
  if (typeof connection === 'string') await checkDatabase(connection, { log })
  const warn = (message: string) => logger.warn(message)
  const replicaUrl = config.databaseReplicaUrl?.reveal()
  const pool = { connection, replicaUrl, poolMax: config.databaseConnections, log: warn }
  const database = opened.adopt(openDatabase(pool), ({ close }) => close())
  await migrate({ connection, log, isDistributed: config.isDistributed })
  const kept = opened.move()
  return { database, connection, close: () => kept.disposeAsync() }
}

/** Features take these by name. */
function openPorts(config: Config, overrides: Overrides, { access, ...opened }: Opened) {
  const { chainTypes = shippedChainTypes, clock = systemClock, timer = monotonicTimer } = overrides
  const { database, logger } = opened
  const replicaGauges = database.replica ? [database.replica.gauge] : []
  const metrics = createMetrics({ gauges: [...sizeGauges(database.pool), ...replicaGauges] })
  const [settings, stores] = [chainTypeSettingsOf(config, NAV_CURRENCIES), historyStores(database.db)]
  const base = { ...opened, ...access, config, settings, stores, chainTypes, metrics, clock }
  const reading = createReading({ ...base, timer, rpcVariable })
  const shared = {
    ...base,
    ...iconModule({ chains: config.chains, tokens: reading.catalog, spell: chainTypes.spell }),
    reading,
    portfolios: createPortfolios({ ...reading, chains: reading.enabled, clock, log: logger }),
    past: new PastReads({ database: opened.database, reading, clock, logger }),
    protocols: [...chainTypes.protocols, ...config.protocols],
    usage: createUsageCounter({ db: database.db, log: logger }),
    authorize,
    effective: effectiveSettings(config),
  }
  return { ...shared, history: openHistory(shared), showing: composeShowing(shared) }
}

type AllPorts = ReturnType<typeof openPorts>

function openService(
  ports: AllPorts,
  features: ReturnType<typeof composeFeatures>,
  door: ReturnType<typeof composePortal>['door'],
  { eventLoopDelayMs, wrapHandlers = (handlers) => handlers }: Overrides & { eventLoopDelayMs: () => number },
): Promise<Service> {
  const { config, database, chainTypes, gates, logger, metrics, usage, publicRoutes, clock } = ports
  const ownHandlers: PortalHandlers = features.portal
  const endpoints = createEndpoints(chainTypes.addresses)
  const handlers = wrapHandlers(features.handlers)
  const portal = {
    ...door,
    endpoints: { ...portalEndpoints, ...ofAccount(endpoints) },
    handlers: { ...ownHandlers, ...recordWrites(database.db, endpoints, handlers) },
    events: openLive(ports),
  }
  const pages = [...(config.portal ? portalRoutes() : []), ...securityRoutes(config.securityContacts, clock)]
  return createApp({
    endpoints,
    handlers,
    events: openEvents(ports),
    portal: config.portal ? portal : undefined,
    gates,
    logger,
    metrics,
    usage,
    publicRoutes: [...publicRoutes, ...pages],
    docs: config.docs,
    connectionLimits: config.connections,
    corsOrigins: config.corsOrigins,
    publicUrl: config.publicUrl ?? undefined,
    trustProxy: config.trustProxy,
    eventLoopDelayMs,
    isUnavailable: isDatabaseUnavailable,
  })
}
