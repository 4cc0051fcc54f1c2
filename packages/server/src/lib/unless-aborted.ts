/** Stores nothing after the abort. */
export function unlessAborted<A extends unknown[], R>(signal: AbortSignal, save: (...found: A) => Promise<R>) {
  return async (...found: A): Promise<R> => {
    signal.throwIfAborted()
    return save(...found)
  }
}
