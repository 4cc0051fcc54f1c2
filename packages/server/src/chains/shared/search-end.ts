import type { UpstreamError } from '../../lib/upstream-error.ts'
import { RpcRefusal } from '../rpc/json-rpc.ts'

/** `unasked`: only untrusted contracts remain unidentified. `unfinished`: limits, or a node failure. */
export type SearchEnd = 'whole' | 'unasked' | 'unfinished' | 'refused'

/** `found`: the next read asks about more. `isAnew`: earlier ends do not count. `more`: can continue at once. */
export type SearchStep = { found: boolean; end: SearchEnd; isAnew?: boolean; more?: boolean }

export function endOf(isWhole: boolean, failure: UpstreamError | undefined): SearchEnd {
  if (isWhole) return 'whole'
  const isUnsupported = failure instanceof RpcRefusal && failure.kind === 'unsupported'
  return isUnsupported || failure?.reason === 'not-allowed' ? 'refused' : 'unfinished'
}
