import type { IncompleteReason } from '@coffer/contract'
import { RpcRefusal } from '../../kinds/rpc/json-rpc.ts'
import type { UpstreamError } from '../../lib/upstream-error.ts'

/**
 * How a search of what a wallet did ended, for what no list names: at the wallet's beginning, at its own limits or at a node
 * that does not answer (`unfinished`), or because no node allows it (`refused`).
 */
export type SearchEnd = 'whole' | 'unfinished' | 'refused'

/** A search as far as it came this time. `found`: something that the next read will ask about. */
export type SearchStep = { found: boolean; end: SearchEnd }

export function endOf(isWhole: boolean, failure: UpstreamError | undefined): SearchEnd {
  if (isWhole) return 'whole'
  const isUnsupported = failure instanceof RpcRefusal && failure.kind === 'unsupported'
  return isUnsupported || failure?.reason === 'not-allowed' ? 'refused' : 'unfinished'
}

/** What is known of such searches of a wallet on a chain. `wholeAt`: when the last one that was whole ended, in ms. */
export type WalletSearch = { wholeAt: number | null; refused: boolean }

export const NEVER_SEARCHED: WalletSearch = { wholeAt: null, refused: false }

/** What a read that is so much younger than the last whole search may lack is found right behind it: that is not said. */
const WHOLE_FOR_MS = 60 * 60_000
/** A whole search is noted again when the last note is so old. */
const NOTED_FOR_MS = WHOLE_FOR_MS / 4

/** What an answer says of a search that has not come to its end. */
export const unsearched = (end: Exclude<SearchEnd, 'whole'>) => (end === 'refused' ? 'not-allowed' : 'searching')

/** Why a read of that moment may lack what no list names; undefined where it does not. */
export function searchGap({ wholeAt, refused }: WalletSearch, readAt: number): IncompleteReason | undefined {
  if (wholeAt !== null && readAt - wholeAt <= WHOLE_FOR_MS) return undefined
  return unsearched(refused ? 'refused' : 'unfinished')
}

/** What is known after a search has ended; the same object where nothing new needs to be noted. */
export function afterSearch(known: WalletSearch, end: SearchEnd, now: number): WalletSearch {
  if (end === 'whole') {
    const isNoted = !known.refused && known.wholeAt !== null && now - known.wholeAt < NOTED_FOR_MS
    return isNoted ? known : { wholeAt: now, refused: false }
  }
  const refused = end === 'refused'
  return refused === known.refused ? known : { wholeAt: known.wholeAt, refused }
}
