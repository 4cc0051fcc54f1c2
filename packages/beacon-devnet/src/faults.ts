/** Replaces the answer to a request. */
export type FaultyAnswer = {
  /** Regular expression for path and query. */
  path: string
  status: number
  /** Default: `error <status>`. */
  message?: string
  /** Answers until the route recovers. Default: unlimited. */
  times?: number
}

/** `{}`: healthy. */
export type Faults = {
  /** The first match wins. */
  answers?: readonly FaultyAnswer[]
  /** States of earlier slots are missing. */
  statesFromSlot?: number
  /** Default: 404. 500: Lodestar's `State is unavailable for slot`. */
  missingStates?: 404 | 500
  /** Rewards and blocks of earlier epochs answer 404. */
  historyFromEpoch?: number
  /** As in older Lodestar versions: with a fraction, or the whole balance. */
  syncRewards?: 'fractional' | 'balance'
  /** With a fraction, or as Lodestar computes them: wrong in a leak, with its name as the version. */
  attestationRewards?: 'fractional' | 'lodestar'
  /** The event stream stays open without events. */
  silentEvents?: boolean
  /** Slots, in `/node/syncing`. */
  syncDistance?: number
  /** Leaves requests unanswered and connections open. */
  hangs?: boolean
}
