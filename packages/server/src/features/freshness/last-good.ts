import type { IncompleteReason } from '@coffer/contract'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

/** A read younger than this is answered as it is; an older one is renewed. */
const FRESH_MS = 60_000
/** After a failed read a source is left alone this long. */
const RETRY_MS = 10_000
/** Longest wait for a first read, or for a fresh one where the caller asked for it. */
const WAIT_MS = 30_000
/** Subjects, and failures of them, kept in memory: some 100 kB each. */
const CACHED_SUBJECTS = 500

/** What is stored of a subject: the last good read of each source, as far as there is one. `readAt` in ms. */
export type Known<R> = {
  /** All that the subject is read from, in the order in which it is shown. */
  sources: readonly string[]
  reads: ReadonlyMap<string, R>
  /** Sources that are other than they were when last read: they are due at once, and waited for. */
  changed?: ReadonlySet<string>
}

/** A source that is missing (`unreadable`, `not-allowed`, `time-limit`) or older than a minute because it failed (`stale`). */
export type SourceGap = { source: string; reason: IncompleteReason }

/** A subject as it was last read. `freshUntil` in ms: until then it may be answered without a look elsewhere. */
export type Cached<S> = { state: S; freshUntil: number }

type Dependencies<K extends string, R extends { readAt: number }, N extends Known<R>, S> = {
  load(subject: K): Promise<N>
  /**
   * Reads a source of a subject and stores what it found. Rejects with `UpstreamError` when it cannot be read.
   * `foundMore`: called each time more than that is stored later on. Answers what `load` would now tell of the source, or
   * nothing where more than that may have changed: then the subject is loaded again.
   */
  refresh(source: string, subject: K, foundMore: () => void): Promise<R | undefined>
  /** What is answered. Throws the `Failure` of a subject of which too little is known. */
  stateOf(subject: K, known: N, gaps: readonly SourceGap[]): S
  clock: Clock
  log: Pick<Logger, 'warn'>
}

type FailedRead = { at: number; reason: IncompleteReason }

/** Last good reads of subjects, renewed by need: fresh ones at once, old ones at once and renewed behind, unknown ones awaited. */
export function createLastGood<K extends string, R extends { readAt: number }, N extends Known<R>, S>({
  load,
  refresh,
  stateOf,
  clock,
  log,
}: Dependencies<K, R, N, S>) {
  const cache = new BoundedMap<K, Cached<S>>(CACHED_SUBJECTS)
  const flights = createSingleFlight<R | undefined>()
  /** Anew for each time that more was found of a subject. */
  const findings = new BoundedMap<K, object>(CACHED_SUBJECTS)
  const failures = new BoundedMap<string, FailedRead>(CACHED_SUBJECTS)
  /** Anew for each read of a subject that ended. */
  const renewals = new BoundedMap<K, object>(CACHED_SUBJECTS)
  const keyOf = (subject: K, source: string) => `${source}:${subject}`

  /** The subject's state from memory, if it is still fresh. */
  function findFresh(subject: K): Cached<S> | undefined {
    const cached = cache.get(subject)
    return cached && cached.freshUntil > clock.now() ? cached : undefined
  }

  /** The state of a subject, waiting as the rules of freshness say. */
  async function getState(subject: K, waitForSync: boolean): Promise<Cached<S>> {
    const fresh = findFresh(subject)
    if (fresh) return fresh
    const before = await loadBetween(subject, load, renewals)
    const due = before.sources.filter((source) => isDue(subject, source, before))
    const findingsBefore = findings.get(subject)
    const started = new Map(due.map((source) => [source, renew(subject, source)]))
    const mustWait = waitForSync || before.reads.size === 0 || due.some((source) => before.changed?.has(source))
    if (started.size === 0 || !mustWait) return remember(subject, before)
    const inTime = await endedWithin(Promise.all(started.values()), WAIT_MS)
    const known = inTime ? await withReads(before, started) : undefined
    const isLast = findings.get(subject) === findingsBefore
    return remember(subject, known && isLast ? known : await load(subject), !inTime)
  }

  function isDue(subject: K, source: string, known: N): boolean {
    const failed = failures.get(keyOf(subject, source))
    if (failed && failed.at + RETRY_MS > clock.now()) return flights.has(keyOf(subject, source))
    const read = known.reads.get(source)
    return !read || known.changed?.has(source) === true || read.readAt + FRESH_MS <= clock.now()
  }

  /** Never rejects: a failure is remembered, and shown as a gap. */
  function renew(subject: K, source: string): Promise<R | undefined> {
    const key = keyOf(subject, source)
    return flights.run(key, async () => {
      try {
        const read = await refresh(source, subject, () => {
          findings.set(subject, {})
          cache.delete(subject)
        })
        failures.delete(key)
        cache.delete(subject)
        renewals.set(subject, {})
        return read
      } catch (err) {
        log.warn({ err, source }, 'a source of holdings could not be read')
        const notAllowed = err instanceof UpstreamError && err.reason === 'not-allowed'
        failures.set(key, { at: clock.now(), reason: notAllowed ? 'not-allowed' : 'unreadable' })
        return undefined
      }
    })
  }

  function remember(subject: K, known: N, timedOut = false): Cached<S> {
    const gaps = known.sources.flatMap((source) => {
      const failed = failures.get(keyOf(subject, source))
      return gapOf(source, { failed, isKnown: known.reads.has(source), timedOut })
    })
    const cached = { state: stateOf(subject, known, gaps), freshUntil: freshUntil(subject, known) }
    cache.set(subject, cached)
    return cached
  }

  /** A source that failed counts as fresh until it is due again; one that is being read now makes the subject not fresh. */
  function freshUntil(subject: K, { sources, reads, changed }: N): number {
    const ends = sources.map((source) => {
      const failed = failures.get(keyOf(subject, source))
      if (failed) return failed.at + RETRY_MS
      const read = reads.get(source)
      return read && !changed?.has(source) ? read.readAt + FRESH_MS : 0
    })
    return ends.length > 0 ? Math.min(...ends) : clock.now() + FRESH_MS
  }

  return { findFresh, getState }
}

/** Loaded anew where a read ended meanwhile: what came may be from before it, and would be read once more. */
async function loadBetween<K, N>(
  subject: K,
  load: (subject: K) => Promise<N>,
  renewals: Pick<BoundedMap<K, object>, 'get'>,
): Promise<N> {
  for (;;) {
    const renewal = renewals.get(subject)
    const known = await load(subject)
    if (renewals.get(subject) === renewal) return known
  }
}

/** What was known, with what was read since; nothing where one of the reads does not tell. */
async function withReads<R, N extends Known<R>>(
  before: N,
  started: ReadonlyMap<string, Promise<R | undefined>>,
): Promise<N | undefined> {
  const reads = new Map(before.reads)
  for (const [source, reading] of started) {
    const read = await reading
    if (read === undefined) return undefined
    reads.set(source, read)
  }
  return { ...before, reads }
}

function gapOf(
  source: string,
  { failed, isKnown, timedOut }: { failed: FailedRead | undefined; isKnown: boolean; timedOut: boolean },
): SourceGap[] {
  if (failed) return [{ source, reason: isKnown ? 'stale' : failed.reason }]
  if (isKnown) return []
  return [{ source, reason: timedOut ? 'time-limit' : 'unreadable' }]
}
