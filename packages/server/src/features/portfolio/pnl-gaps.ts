import type { PnlIncompleteItem } from '@coffer/contract'

/** Contracts that are named of one reason on one chain; of more, the chain alone. */
const MOST_NAMED = 20

/** Each once. Untrusted contracts can add any number of gaps; the list stays short. */
export function presentPnlGaps(gaps: readonly PnlIncompleteItem[]): PnlIncompleteItem[] {
  const unique = new Map(gaps.map((gap) => [`${gap.reason} ${gap.chain} ${gap.contract}`, gap]))
  const groups = Map.groupBy(unique.values(), ({ reason, chain }) => `${reason} ${chain}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first || group.length <= MOST_NAMED) return group
    const { reason, chain } = first
    return [{ reason, ...(chain !== undefined && { chain }) }]
  })
}
