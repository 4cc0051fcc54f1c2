import type { createEndpoints } from '@coffer/contract'
import type { portalEndpoints } from '@coffer/contract/portal'
import type { Chain } from '../chains/chain.ts'
import type { ChainTypes } from '../chains/chain-type.ts'
import type { Db } from '../db/tables.ts'
import type { NamedProtocol } from '../domain/named-protocol.ts'
import type { PortalCaller } from '../http/gates.ts'
import type { Handlers } from '../http/mount.ts'
import type { JobDefinition, Jobs } from '../jobs/queue.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { AnyGauge } from '../lib/metrics.ts'
import type { Reading } from '../wallets/create-reading.ts'
import type { PaidChanges } from './credits/paid-changes.ts'
import type { OriginIconUrls } from './icons/icons.ts'
import type { Portfolios } from './portfolio/portfolios.ts'
import type { PastReads } from './snapshots/past-reads.ts'

export type AllHandlers = Handlers<ReturnType<typeof createEndpoints>>

export type PortalHandlers = Handlers<typeof portalEndpoints, PortalCaller>

export type Ports = {
  config: { chains: readonly Chain[] }
  chainTypes: ChainTypes
  database: { db: Db; reads: Db }
  reading: Reading
  protocols: readonly NamedProtocol[]
  portfolios: Portfolios
  past: PastReads
  change: PaidChanges
  iconUrls: OriginIconUrls
  jobs: Jobs
  clock: Clock
  logger: Logger
}

export type ReadingPorts = Pick<Ports, 'database' | 'reading' | 'clock' | 'logger'>

/** A feature as data: nothing runs before the service starts. */
export type Module = {
  readonly handlers?: Partial<AllHandlers>
  readonly portal?: Partial<PortalHandlers>
  readonly jobs?: readonly JobDefinition[]
  readonly gauges?: readonly AnyGauge[]
  start?(): void
  close?(): Promise<void>
}

type HandlersOf<M> = M extends { handlers: infer H } ? H : never
type PortalOf<M> = M extends { portal: infer H } ? H : never
export type Together<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer A) => void ? A : never

/** Handlers are no `AllHandlers` if an endpoint has none. `close` runs in reverse order. */
export function joinModules<M extends Module>(modules: readonly M[]) {
  const all: readonly Module[] = modules
  return {
    handlers: Object.assign({}, ...all.map(({ handlers }) => handlers)) as Together<HandlersOf<M>>,
    portal: Object.assign({}, ...all.map(({ portal }) => portal)) as Together<PortalOf<M>>,
    jobs: all.flatMap(({ jobs = [] }) => jobs),
    gauges: all.flatMap(({ gauges = [] }) => gauges),
    start() {
      for (const { start } of all) start?.()
    },
    async close() {
      for (const { close } of all.toReversed()) await close?.()
    },
  }
}
