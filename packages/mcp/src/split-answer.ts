import { holdingRows, isHoldings, walletSummary } from './holdings.ts'
import { isObject, type PlainObject, plainAnswer } from './plain-answer.ts'

/** Fields that may hold the list of an answer. */
export const LIST_FIELDS = ['data', 'items', 'transactions'] as const

/** Facts of the whole, and the list that is cut to the budget. */
export type SplitAnswer = { about: PlainObject; items: unknown[] }

export function splitAnswer(answer: unknown): SplitAnswer {
  const { about, items } = partsOf(plainAnswer(answer))
  const complete = completenessOf(about)
  return { about: { ...(complete !== undefined && { complete }), ...about }, items }
}

function partsOf(plain: unknown): SplitAnswer {
  if (isHoldings(plain)) return { about: { wallets: plain.map(walletSummary) }, items: holdingRows(plain) }
  if (Array.isArray(plain)) return { about: {}, items: plain }
  if (!isObject(plain)) return { about: plain === undefined ? {} : { value: plain }, items: [] }
  for (const name of LIST_FIELDS) {
    const { [name]: list, ...rest } = plain
    if (Array.isArray(list)) return { about: rest, items: list }
  }
  return { about: isObject(plain['data']) ? plain['data'] : plain, items: [] }
}

/** True if nothing is missing, by `incomplete` of each wallet or the searched blocks; undefined if neither tells. */
function completenessOf({ wallets, incomplete, coverage, syncs }: PlainObject): boolean | undefined {
  if (Array.isArray(coverage)) {
    return coverage.every((blocks) => blocks['complete'] === true && blocks['reason'] === undefined) && allDone(syncs)
  }
  const lists = Array.isArray(wallets) ? wallets.map((wallet) => wallet['incomplete']) : [incomplete]
  return lists.every(Array.isArray) ? lists.every((list) => list.length === 0) : undefined
}

const allDone = (syncs: unknown) => !Array.isArray(syncs) || syncs.every((sync) => sync['state'] === 'done')
