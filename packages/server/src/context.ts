import { createEndpoints, NAV_CURRENCIES } from '@coffer/contract'
import { ofAccount, portalEndpoints } from '@coffer/contract/portal'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config/config.ts'
import { effectiveSettings } from './config/effective-settings.ts'
import { rpcVariable } from './config/env.ts'
import { kindSettingsOf } from './config/kind-settings.ts'
import { sizeGauges } from './db/gauges.ts'
import { openStorage, type Storage } from './db/storage.ts'
import { isDatabaseUnavailable } from './db/unavailable.ts'
import { createWriteCheck } from './db/write-check.ts'
import { claimForApi, openAccess } from './features/access/module.ts'
import { openEvents } from './features/events/module.ts'
import { historyStores, openHistory } from './features/history/module.ts'
import { iconModule } from './features/icons/module.ts'
import { openLive } from './features/live/module.ts'
import type { AllHandlers, PortalHandlers } from './features/module.ts'
import { composeFeatures } from './features/modules.ts'
import { openPortal } from './features/portal-users/module.ts'
import { recordWrites } from './features/portal-users/recorded-writes.ts'
import { openShowing } from './features/portfolio/module.ts'
import { createPortfolios } from './features/portfolio/portfolios.ts'
import { createUsageCounter, type UsageCounter } from './features/usage/usage-counter.ts'
import { createAdminApp } from './http/admin-app.ts'
import { createApp, type Service } from './http/app.ts'
import { authorize } from './http/authorize.ts'
import { httpGauges } from './http/http-gauges.ts'
import { portalRoutes } from './http/portal-files.ts'
import { shutDown } from './http/shutdown.ts'
import { createJobs, type Jobs } from './jobs/queue.ts'
import type { ChainKinds } from './kinds/kind.ts'
import { kinds as shippedKinds } from './kinds/kinds.ts'
import { type Clock, monotonicTimer, systemClock, type Timer } from './lib/clock.ts'
import { createEventLoopMonitor } from './lib/event-loop.ts'
import { limitReceiving } from './lib/http-client.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { createMetrics } from './lib/metrics.ts'
import { openReading } from './reading/open-reading.ts'

/** The whole service, wired, not yet listening. */
export type Context = {
  service: Service
  admin: FastifyInstance
  database: Storage['database']
  jobs: Jobs
  /** What API keys are used for, as far as it is not written yet. */
  usage: Pick<UsageCounter, 'flush'>
  /** Creates the owner's account in an empty database; its API key, shown once. Undefined where an account exists. */
  makeOwner(): Promise<string | undefined>
  /** The token of a one-time link for the first user of the portal; undefined where there is one. */
  makeSetupLink(): Promise<string | undefined>
  /** Asks every endpoint which chain it is of, so that a wrong one is known before it is needed. Never rejects. */
  proveEndpoints(): Promise<void>
  /** Lists what reads of all wallets need, so that the first caller does not wait for it. Never rejects. */
  listAhead(): Promise<void>
  /** Drains, leaves no hold behind, and closes everything. */
  stop(): Promise<void>
}

/** Replacements, for tests but for the logger. `kinds` of chains: those that the configuration was read for. */
export type Overrides = {
  kinds?: ChainKinds
  clock?: Clock
  timer?: Timer
  logger?: Logger
  eventLoopDelayMs?: () => number
  wrapHandlers?: (handlers: AllHandlers) => AllHandlers
}

/** The composition root: opens what the service stands on, and joins what its features add. */
export async function createContext(config: Config, overrides: Overrides = {}): Promise<Context> {
  // Each resource is added once it is open. They close in reverse order: at the end, or if wiring fails.
  await using opened = new AsyncDisposableStack()
  const { kinds = shippedKinds, clock = systemClock, timer = monotonicTimer } = overrides
  const { wrapHandlers = (handlers: AllHandlers) => handlers } = overrides
  const { logger = createLogger({ level: config.logLevel }) } = overrides
  limitReceiving(config.upstreamBytes)
  const claim = claimForApi(config, logger)
  const { database, connection } = opened.adopt(await openStorage({ config, claim, logger }), ({ close }) => close())
  const metrics = createMetrics({ gauges: sizeGauges(database.pool) })
  const access = opened.adopt(await openAccess({ config, database, logger }), ({ close }) => close())
  const works = config.roles.has('worker')
  const jobs = opened.adopt(createJobs({ connection, log: logger, works }), ({ stop }) => stop())
  const [settings, stores] = [kindSettingsOf(config, NAV_CURRENCIES), historyStores(database)]
  const base = { config, settings, database, stores, kinds, metrics, jobs, clock, logger }
  const reading = openReading({ ...base, timer, rpcVariable })
  const portfolios = createPortfolios({ ...reading, chains: reading.enabled, clock, log: logger })
  const icons = iconModule({ config, kinds, reading })
  const protocols = [...kinds.protocols, ...config.protocols]
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
  const [endpoints, handlers] = [createEndpoints(kinds.addresses), wrapHandlers(joined.handlers)]
  const writes = recordWrites(database.db, endpoints, handlers)
  const ofPortal = { endpoints: { ...portalEndpoints, ...ofAccount(endpoints) }, handlers: { ...own, ...writes } }
  const pages = config.portal ? portalRoutes() : []
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
    // Jobs drain while requests in flight still end.
    const drained = jobs.drain()
    await shutDown({ service, admin, finish: () => kept.disposeAsync(), logger })
    await drained
  }
  const [{ makeOwner }, { proveEndpoints, listAhead }] = [access, reading]
  return { service, admin, database, jobs, usage, makeOwner, makeSetupLink, proveEndpoints, listAhead, stop }
}
