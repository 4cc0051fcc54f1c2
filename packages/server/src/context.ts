import { createEndpoints, NAV_CURRENCIES } from '@coffer/contract'
import { ofAccount, portalEndpoints } from '@coffer/contract/portal'
import type { FastifyInstance } from 'fastify'
import type { ChainTypes } from './chains/chain-type.ts'
import { chainTypes as shippedChainTypes } from './chains/chain-types.ts'
import { chainTypeSettingsOf } from './config/chain-settings.ts'
import type { Config } from './config/config.ts'
import { effectiveSettings } from './config/effective-settings.ts'
import { rpcVariable } from './config/env.ts'
import { sizeGauges } from './db/gauges.ts'
import { openStorage, type Storage } from './db/storage.ts'
import { isDatabaseUnavailable } from './db/unavailable.ts'
import { createWriteCheck } from './db/write-check.ts'
import { claimForApi, openAccess } from './features/access/module.ts'
import { openEvents } from './features/events/module.ts'
import { historyStores, openHistory } from './features/history/module.ts'
import { iconModule } from './features/icons/icons.ts'
import { openLive } from './features/live/module.ts'
import type { AllHandlers, PortalHandlers } from './features/module.ts'
import { composeFeatures } from './features/modules.ts'
import { recordWrites } from './features/portal-users/audit.ts'
import { openPortal } from './features/portal-users/module.ts'
import { openShowing } from './features/portfolio/module.ts'
import { createPortfolios } from './features/portfolio/portfolios.ts'
import { createUsageCounter, type UsageCounter } from './features/usage/module.ts'
import { createAdminApp } from './http/admin-app.ts'
import { createApp, httpGauges, type Service } from './http/app.ts'
import { authorize } from './http/authorize.ts'
import { portalRoutes } from './http/portal-files.ts'
import { securityRoutes } from './http/security-txt.ts'
import { shutDown } from './http/shutdown.ts'
import { createJobs, type Jobs } from './jobs/queue.ts'
import { type Clock, monotonicTimer, systemClock, type Timer } from './lib/clock.ts'
import { createEventLoopMonitor } from './lib/event-loop.ts'
import { limitReceiving } from './lib/http-client.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { createMetrics } from './lib/metrics.ts'
import { openReading } from './wallets/open-reading.ts'

export type Context = {
  service: Service
  admin: FastifyInstance
  database: Storage['database']
  jobs: Jobs
  usage: Pick<UsageCounter, 'flush'>
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

export async function createContext(config: Config, overrides: Overrides = {}): Promise<Context> {
  // Closed in reverse order, also if wiring fails.
  await using opened = new AsyncDisposableStack()
  const { chainTypes = shippedChainTypes, clock = systemClock, timer = monotonicTimer } = overrides
  const { wrapHandlers = (handlers: AllHandlers) => handlers } = overrides
  const { logger = createLogger({ level: config.logLevel }) } = overrides
  limitReceiving(config.upstreamBytes)
  const claim = claimForApi(config, logger)
  const { database, connection } = opened.adopt(await openStorage({ config, claim, logger }), ({ close }) => close())
  const metrics = createMetrics({ gauges: sizeGauges(database.pool) })
  const access = opened.adopt(await openAccess({ config, database, logger }), ({ close }) => close())
  const works = config.roles.has('worker')
  const jobs = opened.adopt(createJobs({ connection, log: logger, works }), ({ stop }) => stop())
  const [settings, stores] = [chainTypeSettingsOf(config, NAV_CURRENCIES), historyStores(database)]
  const base = { config, settings, database, stores, chainTypes, metrics, jobs, clock, logger }
  const reading = openReading({ ...base, timer, rpcVariable })
  const portfolios = createPortfolios({ ...reading, chains: reading.enabled, clock, log: logger })
  const icons = iconModule({ config, chainTypes, reading })
  const protocols = [...chainTypes.protocols, ...config.protocols]
  const usage = createUsageCounter({ db: database.db, log: logger })
  const shared = {
    ...base,
    ...access,
    ...icons,
    reading,
    portfolios,
    protocols,
    usage,
    authorize,
    effective: effectiveSettings(config),
  }
  const ports = { ...shared, history: openHistory(shared), showing: openShowing(shared) }
  const { close, ...joined } = composeFeatures(ports)
  opened.defer(close)
  const { delayMs } = opened.adopt(createEventLoopMonitor(), ({ stop }) => stop())
  const { door, makeSetupLink } = openPortal(shared)
  const own: PortalHandlers = joined.portal
  const [endpoints, handlers] = [createEndpoints(chainTypes.addresses), wrapHandlers(joined.handlers)]
  const writes = recordWrites(database.db, endpoints, handlers)
  const ofPortal = { endpoints: { ...portalEndpoints, ...ofAccount(endpoints) }, handlers: { ...own, ...writes } }
  const pages = [...(config.portal ? portalRoutes() : []), ...securityRoutes(config.securityContacts, clock)]
  const service = await createApp({
    ...{ endpoints, handlers, events: openEvents(shared) },
    ...(config.portal && { portal: { ...door, ...ofPortal, events: openLive(ports) } }),
    ...{ gates: access.gates, logger, metrics, usage },
    ...{ publicRoutes: [...icons.publicRoutes, ...pages], docs: config.docs, connectionLimits: config.connections },
    ...{ corsOrigins: config.corsOrigins, publicUrl: config.publicUrl ?? undefined, trustProxy: config.trustProxy },
    ...{ eventLoopDelayMs: overrides.eventLoopDelayMs ?? delayMs, isUnavailable: isDatabaseUnavailable },
  })
  for (const gauge of [...reading.gauges, ...joined.gauges, ...httpGauges(service)]) metrics.addGauge(gauge)
  const readiness = { checkReady: createWriteCheck(database.pool), readyDetail: reading.wrongEndpoints }
  const admin = createAdminApp({ metrics, load: service.load, ...readiness, logger })
  await jobs.start(joined.jobs)
  joined.start()
  const kept = opened.move()
  const stop = async () => {
    const drained = jobs.drain()
    await shutDown({ service, admin, finish: () => kept.disposeAsync(), logger })
    await drained
  }
  const [{ makeOwner }, { proveEndpoints, listAhead }] = [access, reading]
  return { service, admin, database, jobs, usage, makeOwner, makeSetupLink, proveEndpoints, listAhead, stop }
}
