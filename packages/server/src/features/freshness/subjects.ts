import type { IncompleteReason } from '@coffer/contract'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { UpstreamReason } from '../../lib/upstream-error.ts'

/** Some kilobytes each if every source is down. */
const KNOWN_SUBJECTS = 10_000

/** `at` in ms. */
export type FailedRead = { at: number; reason: IncompleteReason; cause?: UpstreamReason | undefined }

/** `changes`: seen by this process. */
type Subject = { failures: Map<string, FailedRead>; changes: number }

export function createSubjects<K extends string>() {
  const subjects = new BoundedMap<K, Subject>(KNOWN_SUBJECTS)
  const searches = new Map<K, Set<Promise<void>>>()

  /** Makes the subject the last to be evicted. */
  function recall(subject: K): Subject {
    const known = subjects.get(subject) ?? { failures: new Map(), changes: 0 }
    subjects.set(subject, known)
    return known
  }

  return {
    /** A different value: something was stored, or the subject was evicted. */
    changesOf: (subject: K): number | undefined => subjects.get(subject)?.changes,
    noteChange(subject: K): void {
      recall(subject).changes += 1
    },
    searchesOf: (subject: K): ReadonlySet<Promise<void>> | undefined => searches.get(subject),
    /** `search` never rejects; true: it changed the stored read. */
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
    /** A newer read, possibly by another process, supersedes the failure. */
    failureSince(subject: K, source: string, read: { readAt: number } | undefined): FailedRead | undefined {
      const failed = subjects.get(subject)?.failures.get(source)
      return failed && read && read.readAt > failed.at ? undefined : failed
    },
  }
}
