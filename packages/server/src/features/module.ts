import type { endpoints } from '@coffer/contract'
import type { Handlers } from '../http/mount.ts'
import type { JobDefinition } from '../jobs/queue.ts'
import type { AnyGauge } from '../lib/metrics.ts'

/** A handler for every endpoint of the service. */
export type AllHandlers = Handlers<typeof endpoints>

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
type Together<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer A) => void ? A : never

/** The handlers of all modules; it is a type error to use them as `AllHandlers` where an endpoint has none. */
export function joinHandlers<M extends Module>(modules: readonly M[]): Together<HandlersOf<M>> {
  return Object.assign({}, ...modules.map(({ handlers }) => handlers)) as Together<HandlersOf<M>>
}
