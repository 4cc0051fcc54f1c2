import { UpstreamError } from '../lib/upstream-error.ts'

/** What a node answered. Its fork follows from the fields that are present. */
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
  /** The result of 404, or of any status in `notFoundOn`; without it they are failures. */
  notFound?(): T
  notFoundOn?: readonly number[]
  /** Asks for a past state, which a node may lack: then the failure is `NoHistory`. */
  past?: true
  /** Size limit of an answer that is longer than most. */
  maxBytes?: number
}

/**
 * The node works, but does not have the state of that time (yet); another node may. Never means that nothing happened.
 */
export class NoHistory extends UpstreamError {
  constructor(what: string, options?: ErrorOptions) {
    super('unavailable', `there is no history of ${what}`, options)
  }
}

/** Which state: the newest, the newest that is final, or that of a slot. */
export type StateId = 'head' | 'finalized' | number

/** Marks states that a node may have dropped. */
export const pastOf = (state: StateId) => (typeof state === 'number' ? ({ past: true } as const) : {})
