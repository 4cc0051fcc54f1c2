import { UpstreamError } from '../lib/upstream-error.ts'

/** What a node answered. Which fork it is of is told by the parts that there are. */
export type BeaconAnswer = { data: unknown }

/** One call of the standard Beacon API and how its answer is read. `parse` throws `UpstreamError` on anything else. */
export type BeaconRequest<T> = {
  /** For metrics and errors, e.g. `rewards/attestations`. */
  name: string
  /** From the API's root on, e.g. `/eth/v1/beacon/genesis`. */
  path: string
  /** Sent by POST, as JSON. */
  body?: unknown
  parse(answer: BeaconAnswer): T
  /** What 404 says, or any of `notFoundOn`; without it they are failures. */
  notFound?(): T
  notFoundOn?: readonly number[]
  /** Asks for a state of the past, of which a node may have none: then the failure is `NoHistory`. */
  past?: true
  /** Of the answer, for one that is longer than most. */
  maxBytes?: number
}

/** The node is well and has no state of that time, or not yet: another may. It never means that there was nothing. */
export class NoHistory extends UpstreamError {
  constructor(what: string, options?: ErrorOptions) {
    super('unavailable', `there is no history of ${what}`, options)
  }
}

/** Which state: the newest, the newest that is final, or that of a slot. */
export type StateId = 'head' | 'finalized' | number

/** The states that a node may have dropped. */
export const pastOf = (state: StateId) => (typeof state === 'number' ? ({ past: true } as const) : {})
