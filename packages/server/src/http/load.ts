import { Failure } from '@coffer/contract'

/** Seconds after which a client that was shed may try again. */
const RETRY_AFTER_SECONDS = 1
/** Refusals for too much concurrent work ask in turn for 1, 2, … up to so many seconds, so that retries spread out. */
const LONGEST_RETRY_SECONDS = 5
/** A long file takes some 20 seconds. */
const RETRY_FILE_SECONDS = 10

/** Where shedding begins. */
export type LoadLimits = {
  /** Requests in the pipeline at once. */
  inFlight: number
  /** Requests of one key that do work at once; answers from memory do not count. */
  workPerKey: number
  /** The same of one account, over all its keys. */
  workPerAccount: number
  /** Files of one account that are sent at once. */
  filesPerAccount: number
  /** The same of all accounts; each takes some 10 MB. */
  files: number
  /** Mean delay of the event loop in ms above which work on nodes does not begin beside other work. */
  eventLoopDelayMs: number
}

/** Whose requests are counted. */
type Party = { readonly keyId: string; readonly accountId: string }

export type Load = ReturnType<typeof createLoad>

function overload(message: string, retryAfterSeconds = RETRY_AFTER_SECONDS): Failure {
  return new Failure('OVERLOADED', message, { retryAfterSeconds })
}

/** Counts what is being served and refuses what would be too much, before anything is charged. */
export function createLoad({ limits, eventLoopDelayMs }: { limits: LoadLimits; eventLoopDelayMs: () => number }) {
  const ofKeys = createCounts()
  const ofAccounts = createCounts()
  let inFlight = 0
  let working = 0
  let draining = false
  let whenIdle: (() => void)[] = []

  let refused = 0

  function tooMuchWork(whose: string, limit: number): Failure {
    refused += 1
    const seconds = RETRY_AFTER_SECONDS + ((refused - 1) % LONGEST_RETRY_SECONDS)
    return overload(`This ${whose} already has ${limit} requests in work`, seconds)
  }

  /**
   * Throws OVERLOADED if the service is full or shutting down, or the caller has too much work. Only a shutdown refuses
   * an `essential` request.
   */
  function admit(caller: Party, essential: boolean): void {
    if (draining) throw overload('The service is shutting down')
    if (essential) return
    if (inFlight > limits.inFlight) throw overload('The service is busy')
    refuseMoreWork(caller)
  }

  /**
   * Throws OVERLOADED for work that reads nodes while the event loop is late and other work is under way. A late loop alone
   * says only that the machine is busy: shedding the only request would relieve nothing.
   */
  function admitReading(): void {
    if (working > 0 && eventLoopDelayMs() > limits.eventLoopDelayMs) throw overload('The service is busy')
  }

  function refuseMoreWork({ keyId, accountId }: Party): void {
    if (ofKeys.get(keyId) >= limits.workPerKey) {
      throw tooMuchWork('key', limits.workPerKey)
    }
    if (ofAccounts.get(accountId) >= limits.workPerAccount) {
      throw tooMuchWork('account', limits.workPerAccount)
    }
  }

  function count({ keyId, accountId }: Party, by: number): void {
    ofKeys.add(keyId, by)
    ofAccounts.add(accountId, by)
    working += by
  }

  function end(): void {
    inFlight -= 1
    if (inFlight > 0) return
    const resolvers = whenIdle
    whenIdle = []
    for (const resolve of resolvers) resolve()
  }

  return {
    begin(): void {
      inFlight += 1
    },
    end,
    admit,
    admitReading,
    /** Runs and counts work of a caller. Throws OVERLOADED if it has too much at once, unless the work is `essential`. */
    async during<T>(caller: Party, essential: boolean, work: () => Promise<T>): Promise<T> {
      // Several that came at once may have been admitted before the first of them began.
      if (!essential) refuseMoreWork(caller)
      count(caller, 1)
      try {
        return await work()
      } finally {
        count(caller, -1)
      }
    },
    /** Counts a file that is sent, before it is charged; returns a function that ends it. */
    beginFile: createFileLimit(limits),
    inFlight: () => inFlight,
    /** From now on new requests are refused. */
    drain(): void {
      draining = true
    },
    isDraining: () => draining,
    /** Resolves when nothing is in flight. */
    idle: () => (inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => void whenIdle.push(resolve))),
  }
}

function createFileLimit(limits: Pick<LoadLimits, 'files' | 'filesPerAccount'>) {
  const filesOfAccounts = createCounts()
  let files = 0
  return ({ accountId }: Party): (() => void) => {
    const extras = { retryAfterSeconds: RETRY_FILE_SECONDS }
    if (filesOfAccounts.get(accountId) >= limits.filesPerAccount) {
      const message = `This account already downloads ${limits.filesPerAccount} files; ask again when one has ended`
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

/** Numbers by name; only those above 0 are kept. */
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
