import type { UpstreamError } from '../../lib/upstream-error.ts'
import { RpcRefusal } from '../rpc/json-rpc.ts'

/**
 * How a search for a wallet's unlisted assets ended. `whole`: all blocks were searched. `unasked`: they were, but of the
 * untrusted contracts that logs name, not all were asked what they are. `unfinished`: it reached its limits, or a node
 * failed. `refused`: no node allows it.
 */
export type SearchEnd = 'whole' | 'unasked' | 'unfinished' | 'refused'

/**
 * A search as far as it came this time. `found`: something that the next read will ask about. `isAnew`: it looks for
 * more than the searches before, whose ends say nothing of it. `more`: the next step can go on at once.
 */
export type SearchStep = { found: boolean; end: SearchEnd; isAnew?: boolean; more?: boolean }

export function endOf(isWhole: boolean, failure: UpstreamError | undefined): SearchEnd {
  if (isWhole) return 'whole'
  const isUnsupported = failure instanceof RpcRefusal && failure.kind === 'unsupported'
  return isUnsupported || failure?.reason === 'not-allowed' ? 'refused' : 'unfinished'
}
