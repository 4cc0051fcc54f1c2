import type { IncompleteReason } from '@coffer/contract'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { UpstreamError, type UpstreamReason } from '../../lib/upstream-error.ts'

const FRESH_MS = 60_000
/** Pause of a source after a failed read. */
const RETRY_MS = 10_000
/** Longest wait for a first read, or a requested fresh one. */
const WAIT_MS = 30_000
/** Part of `WAIT_MS` for background searches. */
const SEARCH_WAIT_MS = 10_000
/** Some 100 kB each. */
const CACHED_ANSWERS = 500
/** `readAt` in ms. */
export type Known<R> = {
  /** In display order. */
  sources: readonly string[]
  reads: ReadonlyMap<string, R>
  /** Due at once, and waited for. */
  changed?: ReadonlySet<string>
}

/** `stale`: the renewal failed; otherwise nothing was read. */
export type SourceGap = { source: string; reason: IncompleteReason; cause?: UpstreamReason | undefined }

/** `freshUntil` in ms. */
export type Cached<S> = { state: S; freshUntil: number }

type Context<K extends string, R extends { readAt: number }, N extends Known<R>, S> = {
  load(subject: K): Promise<N>
  /**
   * Undefined: the subject must be loaded again. Rejects with `UpstreamError`. The search never rejects, and resolves
   * to true if it changed the stored read.
   */
  refresh(source: string, subject: K, follow: (search: Promise<boolean>) => void): Promise<R | undefined>
  /** Throws a `Failure` if too little is known. */
  stateOf(subject: K, known: N, gaps: readonly SourceGap[]): S
  /** Default true. Otherwise each answer shows what any process has stored. */
  keepsAnswers?: boolean
  clock: Clock
  log: WarnLog
}

/** undefined: failed, or another read was stored later. */
type Renewal<R> = { read: R | undefined }

function failureOf(thrown: unknown, at: number): FailedRead {
  const cause = thrown instanceof UpstreamError ? thrown.reason : undefined
  return { at, reason: cause === 'not-allowed' ? cause : 'unreadable', cause }
}

function lacksRead<R>({ reads, changed }: Known<R>, due: readonly string[]): boolean {
  return reads.size === 0 || due.some((source) => changed?.has(source))
}

async function haveEnded(searches: Iterable<Promise<unknown>> | undefined): Promise<boolean> {
  if (searches) await endedWithin(Promise.all(searches), SEARCH_WAIT_MS)
  return searches !== undefined
}

/** Fresh and old reads return at once; old ones are renewed in the background. */
export function createAnswerCache<K extends string, R extends { readAt: number }, N extends Known<R>, S>(
  context: Context<K, R, N, S>,
) {
  const { load, refresh, stateOf, keepsAnswers = true, clock, log } = context
  const cache = new BoundedMap<K, Cached<S>>(CACHED_ANSWERS)
  const subjects = createSubjects<K>()
  const flights = createSingleFlight<Renewal<R>>()
  const keyOf = (subject: K, source: string) => `${source}:${subject}`

  async function loadLatest(subject: K): Promise<N> {
    for (;;) {
      const before = subjects.changesOf(subject)
      const known = await load(subject)
      if (subjects.changesOf(subject) === before) return known
    }
  }

  function findFresh(subject: K, waitForSync: boolean): Cached<S> | undefined {
    if (waitForSync && subjects.searchesOf(subject)) return undefined
    const cached = cache.get(subject)
    return cached && cached.freshUntil > clock.now() ? cached : undefined
  }

  /** Waits for first reads and changed sources; with `waitForSync` for all due sources and searches. */
  async function getState(subject: K, waitForSync: boolean): Promise<Cached<S>> {
    const fresh = findFresh(subject, waitForSync)
    if (fresh) return fresh
    const known = await loadLatest(subject)
    const due = known.sources.filter((source) => isDue(subject, source, known))
    const started = due.map((source) => renew(subject, source, known.reads.has(source)))
    const searches = () => (waitForSync ? subjects.searchesOf(subject) : undefined)
    const mustWait = waitForSync || lacksRead(known, due)
    if (due.length === 0 ? !searches() : !mustWait) return remember(subject, known)
    const settled = Promise.all(started).then(async (renewals) =>
      (await haveEnded(searches())) ? undefined : withRenewals(known, due, renewals),
    )
    const isLate = !(await endedWithin(settled, WAIT_MS))
    const latest = isLate ? undefined : await settled
    return remember(subject, latest ?? (await loadLatest(subject)), isLate)
  }

  function isDue(subject: K, source: string, known: N): boolean {
    const read = known.reads.get(source)
    const failed = subjects.failureSince(subject, source, read)
    if (failed && failed.at + RETRY_MS > clock.now()) return flights.has(keyOf(subject, source))
    return !read || known.changed?.has(source) === true || read.readAt + FRESH_MS <= clock.now()
  }

  /** Never rejects: a failure becomes a gap. */
  function renew(subject: K, source: string, hasRead: boolean): Promise<Renewal<R>> {
    return flights.run(keyOf(subject, source), async () => {
      const renewal: Renewal<R> = { read: undefined }
      try {
        const onChange = () => {
          renewal.read = undefined
          noteChange(subject)
        }
        const read = await refresh(source, subject, (search) => subjects.addSearch(subject, search, onChange))
        subjects.forgetFailure(subject, source)
        noteChange(subject)
        renewal.read = read
      } catch (err) {
        const shown = hasRead ? 'its last read is shown as stale' : 'there is no earlier read to show'
        log.warn({ err, source }, `a source of holdings could not be read; ${shown}`)
        subjects.noteFailure(subject, source, failureOf(err, clock.now()))
      }
      return renewal
    })
  }

  function noteChange(subject: K): void {
    subjects.noteChange(subject)
    cache.delete(subject)
  }

  function remember(subject: K, known: N, timedOut = false): Cached<S> {
    const parts = subjects.partsOf(subject, known)
    const gaps = parts.flatMap((part) => gapOf(part, timedOut))
    const until = parts.length > 0 ? Math.min(...parts.map(freshUntil)) : clock.now() + FRESH_MS
    const cached = { state: stateOf(subject, known, gaps), freshUntil: until }
    if (keepsAnswers) cache.set(subject, cached)
    return cached
  }

  return { findFresh, getState }
}

type SourceKnown = {
  source: string
  readAt: number | undefined
  isChanged: boolean
  failed: FailedRead | undefined
}

function gapOf({ source, readAt, failed }: SourceKnown, timedOut: boolean): SourceGap[] {
  if (readAt !== undefined) return failed ? [{ source, reason: 'stale' }] : []
  return [{ source, reason: failed?.reason ?? (timedOut ? 'time-limit' : 'unreadable'), cause: failed?.cause }]
}

/** A failed source is fresh until its retry; one never read or changed never is. */
function freshUntil({ readAt, isChanged, failed }: SourceKnown): number {
  if (failed) return failed.at + RETRY_MS
  return readAt === undefined || isChanged ? 0 : readAt + FRESH_MS
}

function withRenewals<R, N extends Known<R>>(
  known: N,
  due: readonly string[],
  renewals: readonly Renewal<R>[],
): N | undefined {
  const reads = new Map(known.reads)
  for (const [i, source] of due.entries()) {
    const read = renewals[i]?.read
    if (read === undefined) return undefined
    reads.set(source, read)
  }
  return { ...known, reads }
}

/** Some kilobytes each. */
const KNOWN_SUBJECTS = 10_000

/** `at` in ms. */
type FailedRead = { at: number; reason: IncompleteReason; cause?: UpstreamReason | undefined }

/** `changes`: seen by this process. */
type Subject = { failures: Map<string, FailedRead>; changes: number }

function createSubjects<K extends string>() {
  const subjects = new BoundedMap<K, Subject>(KNOWN_SUBJECTS)
  const searches = new Map<K, Set<Promise<void>>>()

  function recall(subject: K): Subject {
    const known = subjects.get(subject) ?? { failures: new Map(), changes: 0 }
    subjects.set(subject, known)
    return known
  }

  /** A newer read, possibly by another process, supersedes the failure. */
  function failureSince(subject: K, source: string, read: { readAt: number } | undefined): FailedRead | undefined {
    const failed = subjects.get(subject)?.failures.get(source)
    return failed && read && read.readAt > failed.at ? undefined : failed
  }

  function partsOf(subject: K, { sources, reads, changed }: Known<{ readAt: number }>): SourceKnown[] {
    return sources.map((source) => {
      const read = reads.get(source)
      const failed = failureSince(subject, source, read)
      return { source, readAt: read?.readAt, isChanged: changed?.has(source) === true, failed }
    })
  }

  return {
    failureSince,
    partsOf,
    /** A different value: something was stored, or the subject was evicted. */
    changesOf: (subject: K): number | undefined => subjects.get(subject)?.changes,
    noteChange(subject: K): void {
      recall(subject).changes += 1
    },
    searchesOf: (subject: K): ReadonlySet<Promise<void>> | undefined => searches.get(subject),
    addSearch(subject: K, search: Promise<boolean>, onChange: () => void): void {
      const underWay = searches.get(subject) ?? new Set()
      const ended = search.then((changed) => {
        underWay.delete(ended)
        if (underWay.size === 0) searches.delete(subject)
        if (changed) onChange()
      })
      searches.set(subject, underWay.add(ended))
    },
    noteFailure(subject: K, source: string, failed: FailedRead): void {
      recall(subject).failures.set(source, failed)
    },
    forgetFailure(subject: K, source: string): void {
      subjects.get(subject)?.failures.delete(source)
    },
  }
}
