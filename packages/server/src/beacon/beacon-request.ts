import { UpstreamError } from '../lib/upstream-error.ts'

export type BeaconAnswer = { data: unknown }

/** `parse` throws `UpstreamError` on a malformed answer. */
export type BeaconRequest<T> = {
  name: string
  path: string
  body?: unknown
  parse(answer: BeaconAnswer): T
  /** Result of a 404 or `notFoundOn`; without it a failure. */
  notFound?(): T
  notFoundOn?: readonly number[]
  /** Asks for a past state; a node without it fails with `NoHistory`. */
  past?: true
  maxBytes?: number
}

/** Another node may have the state. Never means that nothing happened. */
export class NoHistory extends UpstreamError {
  constructor(what: string, options?: ErrorOptions) {
    super('unavailable', `there is no history of ${what}`, options)
  }
}

/** A number is a slot. */
export type StateId = 'head' | 'finalized' | number

export const pastOf = (state: StateId) => (typeof state === 'number' ? ({ past: true } as const) : {})
