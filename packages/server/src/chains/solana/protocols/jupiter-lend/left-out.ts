import { type UpstreamError, type UpstreamReason, upstreamOnly } from '../../../../lib/upstream-error.ts'

/** Rejects with any other failure. */
export async function orLeftOut<T>(
  reading: Promise<T>,
  reason: UpstreamReason,
  leftOut: ((why: UpstreamError) => void) | undefined,
): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const why = upstreamOnly(error)
    if (why.reason !== reason) throw why
    leftOut?.(why)
    return undefined
  }
}
