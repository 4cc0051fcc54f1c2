import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { AirdropGap } from '../../airdrops.ts'

/** The reason shown for a failure. Rethrows anything but an upstream's failure, which is a bug. */
export function reasonOf(error: unknown): AirdropGap['reason'] {
  if (!(error instanceof UpstreamError)) throw error
  if (error.reason === 'timeout') return 'time-limit'
  return error.reason === 'not-allowed' ? 'not-allowed' : 'unreadable'
}
