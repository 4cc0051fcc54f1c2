import { setTimeout as waitFor } from 'node:timers/promises'
import { Failure } from '@coffer/contract'

const RETRY_AFTER_SECONDS = 1
/** Retry delays are 1, 2, … up to this in turn. */
const LONGEST_RETRY_SECONDS = 5
/** A long file takes some 20 seconds. */
const RETRY_FILE_SECONDS = 10
/** A caller that ignores its limit sends four requests a second on a connection, in place of thousands. */
const REFUSAL_MS = 250

export type LoadLimits = {
  inFlight: number
  /** Answers from memory do not count. */
  workPerKey: number
  workPerAccount: number
  filesPerAccount: number
  /** Each file takes some 10 MB. */
  files: number
  /** Mean; above it no work on nodes begins next to other work. */
  eventLoopDelayMs: number
}

type Tenant = { readonly keyId: string; readonly accountId: string }

export type Load = ReturnType<typeof createLoad>

function overload(message: string, retryAfterSeconds = RETRY_AFTER_SECONDS): Failure {
  return new Failure('OVERLOADED', message, { retryAfterSeconds })
}

type LoadOptions = { limits: LoadLimits; eventLoopDelayMs: () => number; wait?: (ms: number) => Promise<unknown> }

/** Refuses before anything is charged. */
export function createLoad({ limits, eventLoopDelayMs, wait = waitFor }: LoadOptions) {
  const ofKeys = createCounts()
  const ofAccounts = createCounts()
  let inFlight = 0
  let draining = false
  let idle: PromiseWithResolvers<void> | undefined
  let refused = 0

  function tooMuchWork(whose: string, limit: number): Failure {
    refused += 1
    const seconds = RETRY_AFTER_SECONDS + ((refused - 1) % LONGEST_RETRY_SECONDS)
    return overload(`This ${whose} already has ${limit} requests in progress`, seconds)
  }

  /** Only a shutdown refuses an `essential` request. */
  function admit(caller: Tenant, essential: boolean): void {
    if (draining) throw overload('The service is shutting down')
    if (essential) return
    if (inFlight > limits.inFlight) throw overload('The service is busy')
    refuseMoreWork(caller)
  }

  /** With a late loop, only the first request of an account is admitted. */
  function admitReading({ accountId }: Tenant): void {
    if (ofAccounts.get(accountId) === 0 || eventLoopDelayMs() <= limits.eventLoopDelayMs) return
    throw overload('The service is busy')
  }

  function refuseMoreWork({ keyId, accountId }: Tenant): void {
    if (ofKeys.get(keyId) >= limits.workPerKey) throw tooMuchWork('key', limits.workPerKey)
    if (ofAccounts.get(accountId) >= limits.workPerAccount) throw tooMuchWork('account', limits.workPerAccount)
  }

  function count({ keyId, accountId }: Tenant, by: number): void {
    ofKeys.add(keyId, by)
    ofAccounts.add(accountId, by)
  }

  function begin(): void {
    inFlight += 1
  }

  function end(): void {
    inFlight -= 1
    if (inFlight > 0) return
    idle?.resolve()
    idle = undefined
  }

  return {
    begin,
    end,
    /** Waits before a refusal by a rate limit. It does not count then: refused requests keep out no others. */
    async slowDown(thrown: unknown): Promise<void> {
      if (!(thrown instanceof Failure) || thrown.code !== 'RATE_LIMITED') return
      end()
      await wait(REFUSAL_MS)
      begin()
    },
    admit,
    admitReading,
    async during<T>(caller: Tenant, essential: boolean, work: () => Promise<T>): Promise<T> {
      // Several may be admitted before the first begins.
      if (!essential) refuseMoreWork(caller)
      count(caller, 1)
      try {
        return await work()
      } finally {
        count(caller, -1)
      }
    },
    /** Must run before the charge. */
    beginFile: createFileLimit(limits),
    inFlight: () => inFlight,
    drain(): void {
      draining = true
    },
    isDraining: () => draining,
    async idle(): Promise<void> {
      if (inFlight === 0) return
      idle ??= Promise.withResolvers()
      await idle.promise
    },
  }
}

function createFileLimit(limits: LoadLimits) {
  const filesOfAccounts = createCounts()
  let files = 0
  return ({ accountId }: Tenant): (() => void) => {
    const extras = { retryAfterSeconds: RETRY_FILE_SECONDS }
    if (filesOfAccounts.get(accountId) >= limits.filesPerAccount) {
      const message = `This account already downloads ${limits.filesPerAccount} files; try again when one has finished`
      throw new Failure('RATE_LIMITED', message, extras)
    }
    if (files >= limits.files) throw overload('Too many files are being downloaded', RETRY_FILE_SECONDS)
    files += 1
    filesOfAccounts.add(accountId, 1)
    return () => {
      files -= 1
      filesOfAccounts.add(accountId, -1)
    }
  }
}

function createCounts() {
  const counts = new Map<string, number>()
  const get = (name: string) => counts.get(name) ?? 0
  function add(name: string, by: number): void {
    const count = get(name) + by
    if (count > 0) counts.set(name, count)
    else counts.delete(name)
  }
  return { get, add }
}
