import type { PnlIncompleteItem } from '@coffer/contract'

/** Contracts per reason and chain; beyond it only the chain is listed. */
const MOST_NAMED = 20

/** Untrusted contracts can add any number of gaps, so the list is bounded. */
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
