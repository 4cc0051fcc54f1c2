import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { createSubjects, type FailedRead } from './subjects.ts'

/** A read younger than this is answered as it is; an older one is renewed. */
const FRESH_MS = 60_000
/** After a failed read a source is left alone this long. */
const RETRY_MS = 10_000
/** Longest wait for a first read, or for a fresh one where the caller asked for it. */
const WAIT_MS = 30_000
/** Longest wait for searches in the background, within it. */
const SEARCH_WAIT_MS = 10_000
/** Answers kept in memory: some 100 kB each. */
const CACHED_ANSWERS = 500
/** What is stored of a subject: the last good read of each source, as far as there is one. `readAt` in ms. */
export type Known<R> = {
  /** All that the subject is read from, in the order in which it is shown. */
  sources: readonly string[]
  reads: ReadonlyMap<string, R>
  /** Sources that have changed since their last read: they are due at once, and waited for. */
  changed?: ReadonlySet<string>
}

/** A source that is missing (`unreadable`, `not-allowed`, `time-limit`) or older than a minute because it failed (`stale`). */
export type SourceGap = Pick<FailedRead, 'reason' | 'cause'> & { source: string }

/** A subject as it was last read. Until `freshUntil` (ms) it is answered without a lookup. */
export type Cached<S> = { state: S; freshUntil: number }

type Dependencies<K extends string, R extends { readAt: number }, N extends Known<R>, S> = {
  load(subject: K): Promise<N>
  /**
   * Reads a source of a subject and stores the result. Rejects with `UpstreamError` when it cannot be read. Returns
   * what `load` would return for the source now, or undefined if the subject has to be loaded again. `follow` receives a search
   * that goes on in the background; it never rejects and resolves to whether it changed the stored read.
   */
  refresh(source: string, subject: K, follow: (search: Promise<boolean>) => void): Promise<R | undefined>
  /** Builds the answer. Throws a `Failure` if too little is known of the subject. */
  stateOf(subject: K, known: N, gaps: readonly SourceGap[]): S
  /**
   * Whether an answer is kept in memory until a source of it is due; so it is unless said. Otherwise every answer is
   * loaded, and shows at once what any process has stored.
   */
  keepsAnswers?: boolean
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/**
 * `read`: the stored read of the source; undefined if the refresh failed or returned none, or another read was stored
 * later.
 */
type Renewal<R> = { read: R | undefined }

function failureOf(thrown: unknown, at: number): FailedRead {
  const cause = thrown instanceof UpstreamError ? thrown.reason : undefined
  return { at, reason: cause === 'not-allowed' ? cause : 'unreadable', cause }
}

/** Nothing was read yet, or something that is due has changed since it was read. */
function lacksRead<R>({ reads, changed }: Known<R>, due: readonly string[]): boolean {
  return reads.size === 0 || due.some((source) => changed?.has(source))
}

/** Waits for searches within a limit; false if there are none. */
async function haveEnded(searches: Iterable<Promise<unknown>> | undefined): Promise<boolean> {
  if (searches) await endedWithin(Promise.all(searches), SEARCH_WAIT_MS)
  return searches !== undefined
}

/**
 * Last good reads of subjects: fresh ones are returned at once, old ones at once and renewed in the background, unknown
 * ones after a wait.
 */
export function createLastGood<K extends string, R extends { readAt: number }, N extends Known<R>, S>({
  load,
  refresh,
  stateOf,
  keepsAnswers = true,
  clock,
  log,
}: Dependencies<K, R, N, S>) {
  const cache = new BoundedMap<K, Cached<S>>(CACHED_ANSWERS)
  const subjects = createSubjects<K>()
  const flights = createSingleFlight<Renewal<R>>()
  const keyOf = (subject: K, source: string) => `${source}:${subject}`
  const loadLatest = (subject: K) => loadSettled(subject, load, subjects.changesOf)

  /** The subject's state from memory, if it is still fresh. With `waitForSync` undefined while a search is under way. */
  function findFresh(subject: K, waitForSync: boolean): Cached<S> | undefined {
    if (waitForSync && subjects.searchesOf(subject)) return undefined
    const cached = cache.get(subject)
    return cached && cached.freshUntil > clock.now() ? cached : undefined
  }

  /**
   * The state of a subject. Waits for a first read and for changed sources; with `waitForSync` for all due ones and for
   * searches under way.
   */
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

  /** Never rejects: a failure is remembered, and shown as a gap. */
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
    const parts = partsOf(known, (source, read) => subjects.failureSince(subject, source, read))
    const gaps = parts.flatMap((part) => gapOf(part, timedOut))
    const ends = parts.map(freshUntil)
    const until = ends.length > 0 ? Math.min(...ends) : clock.now() + FRESH_MS
    const cached = { state: stateOf(subject, known, gaps), freshUntil: until }
    if (keepsAnswers) cache.set(subject, cached)
    return cached
  }

  return { findFresh, getState }
}

/** What is known of one source. `failed`: since its last good read. */
type SourceKnown = {
  source: string
  readAt: number | undefined
  isChanged: boolean
  failed: FailedRead | undefined
}

function partsOf<R extends { readAt: number }>(
  { sources, reads, changed }: Known<R>,
  failureOf: (source: string, read: R | undefined) => FailedRead | undefined,
): SourceKnown[] {
  return sources.map((source) => {
    const read = reads.get(source)
    const isChanged = changed?.has(source) === true
    return { source, readAt: read?.readAt, isChanged, failed: failureOf(source, read) }
  })
}

function gapOf({ source, readAt, failed }: SourceKnown, timedOut: boolean): SourceGap[] {
  if (readAt !== undefined) return failed ? [{ source, reason: 'stale' }] : []
  return [{ source, reason: failed?.reason ?? (timedOut ? 'time-limit' : 'unreadable'), cause: failed?.cause }]
}

/** A failed source counts as fresh until it is due again; a source that was never read, or has changed, never does. */
function freshUntil({ readAt, isChanged, failed }: SourceKnown): number {
  if (failed) return failed.at + RETRY_MS
  return readAt === undefined || isChanged ? 0 : readAt + FRESH_MS
}

/** Loads again if something was stored meanwhile, as the result may be from before it. */
async function loadSettled<K, N>(
  subject: K,
  load: (subject: K) => Promise<N>,
  changesOf: (subject: K) => number | undefined,
): Promise<N> {
  for (;;) {
    const before = changesOf(subject)
    const known = await load(subject)
    if (changesOf(subject) === before) return known
  }
}

/** Merges renewed reads into the known ones; undefined if a renewal has none, so that the subject is loaded again. */
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
