import type { IncompleteReason } from '@coffer/contract'
import type { SearchEnd } from '../kinds/collect/search-end.ts'

/**
 * The state of these searches of a wallet on a chain. `wholeAt`: when the last complete one ended, in ms. `unasked`: it
 * left untrusted contracts that are still to be asked.
 */
export type WalletSearch = { wholeAt: number | null; refused: boolean; unasked?: boolean }

export const NEVER_SEARCHED: WalletSearch = { wholeAt: null, refused: false }

/**
 * A read at most this much younger than the last complete search gets no gap: the search behind it finds what it lacks.
 */
const WHOLE_FOR_MS = 60 * 60_000
/** A whole search is noted again when the last note is so old. */
const NOTED_FOR_MS = WHOLE_FOR_MS / 4

/** The reason that answers give for an incomplete search. */
export const unsearched = (end: Exclude<SearchEnd, 'whole'>) => (end === 'refused' ? 'not-allowed' : 'searching')

/** Why a read at that time may lack unlisted assets; undefined if it does not. */
export function searchGap({ wholeAt, refused, unasked }: WalletSearch, readAt: number): IncompleteReason | undefined {
  if (isSearched({ wholeAt }, readAt)) return unasked ? unsearched('unasked') : undefined
  return unsearched(refused ? 'refused' : 'unfinished')
}

/** Whether logs of all blocks are known that a read at that time stands on. */
export const isSearched = ({ wholeAt }: Pick<WalletSearch, 'wholeAt'>, readAt: number): boolean =>
  wholeAt !== null && readAt - wholeAt <= WHOLE_FOR_MS

/** The state after a search; the same object if nothing has to be stored. `isAnew`: earlier ends do not count. */
export function afterSearch(before: WalletSearch, end: SearchEnd, now: number, isAnew = false): WalletSearch {
  const known = isAnew && before.wholeAt !== null ? { ...before, wholeAt: null } : before
  if (end === 'whole' || end === 'unasked') {
    const unasked = end === 'unasked'
    const isLate = known.wholeAt === null || now - known.wholeAt >= NOTED_FOR_MS
    const isOther = isLate || known.refused || (known.unasked ?? false) !== unasked
    return isOther ? { wholeAt: now, refused: false, ...(unasked && { unasked }) } : known
  }
  const refused = end === 'refused'
  return refused === known.refused ? known : { ...known, refused }
}
