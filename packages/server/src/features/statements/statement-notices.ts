import type { IncompleteItem, IncompleteReason } from '@coffer/contract'

const WORDS: Readonly<Record<IncompleteReason, string>> = {
  unreadable: 'could not be read. It is missing here, and in every sum.',
  stale: 'could not be read anew. What is shown is of an older block.',
  'not-allowed': 'cannot be read from the nodes of this service. It is missing here, and in every sum.',
  'time-limit': 'took too long to read. It is missing here, and in every sum.',
  searching: 'is still searched for tokens that no list names. Some may be missing.',
  'unpriced-debt': 'has a debt without a price. Sums are too high by it.',
  'not-linked': 'is linked to no account. It is missing here, and in every sum.',
}

/** Continues a sentence after `Ethereum, Aave V3`. */
export const wordsOf = ({ reason }: Pick<IncompleteItem, 'reason'>): string => WORDS[reason]

export function unpricedWords(count: number): string | undefined {
  if (count === 0) return undefined
  return count === 1
    ? '1 line has no price. Its value is N/A, and is in no sum.'
    : `${count} lines have no price. Their value is N/A, and is in no sum.`
}
