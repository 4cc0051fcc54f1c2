import type { createEndpoints } from '@coffer/contract'
import type { Handlers } from '../http/mount.ts'
import type { JobDefinition } from '../jobs/queue.ts'
import type { AnyGauge } from '../lib/metrics.ts'

/** A handler for every endpoint of the service. */
export type AllHandlers = Handlers<ReturnType<typeof createEndpoints>>

/** What a feature adds to the service, as data: nothing runs before the service starts. */
export type Module = {
  readonly handlers?: Partial<AllHandlers>
  readonly jobs?: readonly JobDefinition[]
  readonly gauges?: readonly AnyGauge[]
  /** Begins what runs beside requests and jobs. */
  start?(): void
  /** Ends what `start` began and writes what is left. */
  close?(): Promise<void>
}

type HandlersOf<M> = M extends { handlers: infer H } ? H : never
/** What all members of a union have together. */
export type Together<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer A) => void ? A : never

/**
 * All modules as one. It is a type error to use its handlers as `AllHandlers` where an endpoint has none. `close` ends
 * them in reverse order.
 */
export function joinModules<M extends Module>(modules: readonly M[]) {
  const all: readonly Module[] = modules
  return {
    handlers: Object.assign({}, ...all.map(({ handlers }) => handlers)) as Together<HandlersOf<M>>,
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
