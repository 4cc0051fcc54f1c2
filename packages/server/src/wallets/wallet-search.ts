import type { IncompleteReason } from '@coffer/contract'
import type { SearchEnd } from '../chains/shared/search-end.ts'
import type { WalletRead } from '../domain/wallet-read.ts'

/** `wholeAt`: ms. `unasked`: untrusted contracts are still to be asked. */
export type WalletSearch = { wholeAt: number | null; refused: boolean; unasked?: boolean }

export type StoredRead = { read: WalletRead; search: WalletSearch }

export const NEVER_SEARCHED: WalletSearch = { wholeAt: null, refused: false }

/** After a complete search. */
const WHOLE_FOR_MS = 60 * 60_000
const NOTED_FOR_MS = WHOLE_FOR_MS / 4

export const unsearched = (end: Exclude<SearchEnd, 'whole'>) => (end === 'refused' ? 'not-allowed' : 'searching')

export function searchGap(search: WalletSearch, readAt: number): IncompleteReason | undefined {
  if (isSearched(search, readAt)) return search.unasked ? unsearched('unasked') : undefined
  return unsearched(search.refused ? 'refused' : 'unfinished')
}

export const isSearched = ({ wholeAt }: WalletSearch, readAt: number): boolean =>
  wholeAt !== null && readAt - wholeAt <= WHOLE_FOR_MS

/** Returns the same object if nothing changed. */
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
