import { type UpstreamError, type UpstreamReason, upstreamOnly } from '../../../../lib/upstream-error.ts'

/** Reports a part that cannot be read for this reason, and goes on without it; any other failure rejects. */
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
