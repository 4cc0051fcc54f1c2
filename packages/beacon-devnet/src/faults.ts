/** An answer in place of the one that a request would have got. */
export type FaultyAnswer = {
  /** A regular expression that the path with its query has to match. */
  path: string
  status: number
  /** `error <status>` unless told. */
  message?: string
  /** After so many answers the route is well again; never unless told. */
  times?: number
}

/** What is wrong with the node; `{}` is a healthy one. */
export type Faults = {
  /** The first that matches counts. */
  answers?: readonly FaultyAnswer[]
  /** States of slots before it are not there. */
  statesFromSlot?: number
  /** How their absence is said: 404, or Lodestar's 500 `State is unavailable for slot`. 404 unless told. */
  missingStates?: 404 | 500
  /** Rewards and blocks of epochs before it answer 404. */
  historyFromEpoch?: number
  /** Rewards of the sync committee as older Lodestars say them: with a fraction, or the whole balance. */
  syncRewards?: 'fractional' | 'balance'
  /** Attestation rewards with a fraction; or as Lodestar works them out, wrong in a leak, with its name as the version. */
  attestationRewards?: 'fractional' | 'lodestar'
  /** The event stream stays open and says nothing. */
  silentEvents?: boolean
  /** `/node/syncing` says that the node is behind by so many slots. */
  syncDistance?: number
  /** Requests are not answered, their connections stay open. */
  hangs?: boolean
}
