import type { V1Answer } from '../../api/types.ts'
import { t } from '../../lib/i18n.ts'
import { formatAmount } from '../../lib/money.ts'
import { toDrawn } from '../../lib/pixels.ts'
import type { Coverage, Sync } from './transaction.ts'

export type Status = V1Answer<'GET', '/v1/status'>[number]

/** Reason why blocks of a chain are not, or not wholly, searched. */
type CoverageGap = NonNullable<Coverage['reason']> | 'incomplete' | 'unfinished'

export type WalletCoverage = {
  address: string
  state: Sync['state']
  /** Reason, in the service's words, why it paused, failed or has nothing to search. */
  reason: string | null
  /** The service's advice on closing gaps. */
  advice: string | null
  lastSync: string | null
  newTransactions: string
  chains: readonly {
    chain: string
    /** Share of the chain's blocks, 0 to 1, to draw with. */
    share: number
    /** The blocks in words. */
    blocks: string
    gap: CoverageGap | null
  }[]
}

type Reported = {
  wallets: readonly string[]
  coverage: readonly Coverage[]
  syncs: readonly Sync[]
  statuses: readonly Status[]
}

/** A status is newer than the list and takes precedence. */
export function coverageOf({ wallets, coverage, syncs, statuses }: Reported): WalletCoverage[] {
  return wallets.map((wallet) => {
    const isIts = ({ address }: { address: string }) => address.toLowerCase() === wallet.toLowerCase()
    const status = statuses.find(isIts)
    const sync = status?.sync ?? syncs.find(isIts)
    return {
      address: wallet,
      state: sync?.state ?? 'never',
      reason: sync?.reason ?? null,
      advice: sync?.advice ?? null,
      lastSync: status?.transactionsLastSync ?? null,
      newTransactions: status?.sync.newTransactions ?? '0',
      chains: chainsOf(coverage.filter(isIts), status?.sync.chains ?? []),
    }
  })
}

type Progress = Status['sync']['chains']

function chainsOf(coverage: readonly Coverage[], progress: Progress): WalletCoverage['chains'] {
  const named = [...new Set([...progress, ...coverage].map(({ chain }) => chain))].sort()
  return named.map((chain) => {
    const searched = progress.find((one) => one.chain === chain)
    const ranges = coverage.filter((one) => one.chain === chain)
    return { chain, share: shareOf(searched), blocks: blocksText(searched, ranges), gap: gapOf(searched, ranges) }
  })
}

function shareOf(searched: Progress[number] | undefined): number {
  const total = toDrawn(searched?.totalBlocks ?? 'N/A')
  const done = toDrawn(searched?.searchedBlocks ?? 'N/A')
  return total === null || done === null || total === 0 ? 0 : Math.min(done / total, 1)
}

function blocksText(searched: Progress[number] | undefined, ranges: readonly Coverage[]): string {
  if (searched) {
    const done = formatAmount(searched.searchedBlocks)
    if (searched.totalBlocks === null) return t('{done} blocks; the total is unknown', { done })
    return t('{done} of {total} blocks', { done, total: formatAmount(searched.totalBlocks) })
  }
  const spans = ranges.map(({ fromBlock, toBlock }) => `${formatAmount(fromBlock)}–${formatAmount(toBlock)}`)
  return t('blocks {spans}', { spans: spans.join(', ') })
}

function gapOf(searched: Progress[number] | undefined, ranges: readonly Coverage[]): CoverageGap | null {
  const reason = ranges.find((range) => range.reason !== undefined)?.reason
  if (reason) return reason
  if (ranges.some(({ complete }) => !complete)) return 'incomplete'
  if (!searched) return null
  return searched.searchedBlocks === searched.totalBlocks ? null : 'unfinished'
}
