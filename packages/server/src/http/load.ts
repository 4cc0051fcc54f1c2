import { Failure } from '@coffer/contract'

/** Seconds after which a client that was shed may try again. */
const RETRY_AFTER_SECONDS = 1

/** Where shedding begins. */
export type LoadLimits = {
  /** Requests in the pipeline at once. */
  inFlight: number
  /** Requests of one key whose work is being done at once; cached answers are none. */
  workPerKey: number
  /** Mean delay of the event loop in ms. */
  eventLoopDelayMs: number
}

/** Counts what is being served and refuses what would be too much, before anything is charged. */
export type Load = {
  begin(): void
  end(): void
  /** Throws OVERLOADED when the service is full, or is shutting down. An `essential` request is refused by neither limit. */
  admit(keyId: string, essential: boolean): void
  enterWork(keyId: string): void
  leaveWork(keyId: string): void
  inFlight(): number
  /** From now on new requests are refused. */
  drain(): void
  isDraining(): boolean
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>
}

export function createLoad({ limits, eventLoopDelayMs }: { limits: LoadLimits; eventLoopDelayMs: () => number }): Load {
  const working = new Map<string, number>()
  let inFlight = 0
  let draining = false
  let whenIdle: (() => void)[] = []

  function overload(message: string): Failure {
    return new Failure('OVERLOADED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  function admit(keyId: string, essential: boolean): void {
    if (draining) throw overload('The service is shutting down')
    if (essential) return
    if (inFlight > limits.inFlight || eventLoopDelayMs() > limits.eventLoopDelayMs) {
      throw overload('The service is busy')
    }
    if ((working.get(keyId) ?? 0) >= limits.workPerKey) {
      throw overload(`This key already has ${limits.workPerKey} requests in work`)
    }
  }

  function end(): void {
    inFlight -= 1
    if (inFlight > 0) return
    const resolvers = whenIdle
    whenIdle = []
    for (const resolve of resolvers) resolve()
  }

  function leaveWork(keyId: string): void {
    const left = (working.get(keyId) ?? 0) - 1
    if (left > 0) working.set(keyId, left)
    else working.delete(keyId)
  }

  return {
    begin: () => {
      inFlight += 1
    },
    end,
    admit,
    enterWork: (keyId) => void working.set(keyId, (working.get(keyId) ?? 0) + 1),
    leaveWork,
    inFlight: () => inFlight,
    drain: () => {
      draining = true
    },
    isDraining: () => draining,
    idle: () => (inFlight === 0 ? Promise.resolve() : new Promise((resolve) => void whenIdle.push(resolve))),
  }
}
