/** `timeout` and `unavailable` may pass by themselves. `invalid`: the answer cannot be trusted. */
export type UpstreamReason = 'timeout' | 'unavailable' | 'rate-limited' | 'invalid' | 'not-allowed'

/** The message is for the log and never holds a URL or a key. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly reason: UpstreamReason

  constructor(reason: UpstreamReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** A node may forbid lenses: `not-allowed` affects only that call. */
export const isNodeFailure = (error: unknown) => error instanceof UpstreamError && error.reason !== 'not-allowed'

/** Rethrows anything else: it is a bug. */
export function upstreamOnly(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  throw error
}

export function attempt<T>(read: () => T): T | UpstreamError {
  try {
    return read()
  } catch (error) {
    return upstreamOnly(error)
  }
}
