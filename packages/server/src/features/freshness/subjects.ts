import type { IncompleteReason } from '@coffer/contract'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { UpstreamReason } from '../../lib/upstream-error.ts'

/** Subjects that are remembered: some kilobytes each in an outage of every source. */
const KNOWN_SUBJECTS = 10_000

/** `at` in ms. `cause`: why the upstream failed, where that is known. */
export type FailedRead = { at: number; reason: IncompleteReason; cause?: UpstreamReason | undefined }

/** `failures`: the last one of each source. `changes` counts what this process has seen stored. */
type Subject = { failures: Map<string, FailedRead>; changes: number }

/** What this process remembers of subjects beside their answers: failed sources, a count of stored changes, searches. */
export function createSubjects<K extends string>() {
  const subjects = new BoundedMap<K, Subject>(KNOWN_SUBJECTS)
  const searches = new Map<K, Set<Promise<void>>>()

  /** Makes the subject the last one to be forgotten. */
  function recall(subject: K): Subject {
    const known = subjects.get(subject) ?? { failures: new Map(), changes: 0 }
    subjects.set(subject, known)
    return known
  }

  return {
    /** A value that differs from before means that something was stored, or that the subject was evicted. */
    changesOf: (subject: K): number | undefined => subjects.get(subject)?.changes,
    noteChange(subject: K): void {
      recall(subject).changes += 1
    },
    /** Searches in the background that have not ended; undefined without one. */
    searchesOf: (subject: K): ReadonlySet<Promise<void>> | undefined => searches.get(subject),
    /** `search` never rejects; it resolves to whether it changed what is stored. */
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
    /** The last failure of a source, unless a newer read, possibly of another process, supersedes it. */
    failureSince(subject: K, source: string, read: { readAt: number } | undefined): FailedRead | undefined {
      const failed = subjects.get(subject)?.failures.get(source)
      return failed && read && read.readAt > failed.at ? undefined : failed
    },
  }
}
