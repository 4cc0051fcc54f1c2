/** Why an upstream read failed. `timeout` and `unavailable` may pass by themselves; `invalid` is an answer that cannot be trusted. */
export type UpstreamReason = 'timeout' | 'unavailable' | 'rate-limited' | 'invalid' | 'not-allowed'

/**
 * A node or data source failed. A feature turns it into last good data or a `Failure`; its message is for the log and
 * never holds a URL or a key.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly reason: UpstreamReason

  constructor(reason: UpstreamReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/**
 * Whether the node failed, and with it everything requested together. A `not-allowed` call (a node may forbid lenses)
 * affects only what needs that call.
 */
export const isNodeFailure = (error: unknown) => error instanceof UpstreamError && error.reason !== 'not-allowed'

/** The failure, for a `catch` that goes on without what failed. Rethrows anything else, which is a bug. */
export function upstreamOnly(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  throw error
}

/** What reading answers without waiting, or why an upstream's answer cannot be read. */
export function attempt<T>(read: () => T): T | UpstreamError {
  try {
    return read()
  } catch (error) {
    return upstreamOnly(error)
  }
}
