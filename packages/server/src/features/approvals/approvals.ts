import { Failure } from '@coffer/contract'
import type { ApprovalReading } from '../../chains/approval-reading.ts'
import type { LogPlace } from '../../domain/approval.ts'
import type { BlockRange } from '../../domain/block-ranges.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { ApprovalSearches, Search } from './approval-search.ts'
import type { ApprovalStore, StoredApproval } from './approval-store.ts'

/** The search then continues in the background. */
const WAIT_MS = 30_000

/** `time` in Unix seconds. */
export type TimedApproval = StoredApproval & { time: number }

/** Newest first. `last`: start of the next page, if any. */
type ApprovalPage = { approvals: TimedApproval[]; last: LogPlace | undefined }

export type Approvals = ReturnType<typeof createApprovals>

/**
 * Answers once all blocks of the page were searched. A timeout fails with 502; the search continues, so a retry finds
 * more.
 */
export function createApprovals({
  store,
  searches,
  readTimes,
}: {
  store: ApprovalStore
  searches: ApprovalSearches
  readTimes: ReadBlockTimes
}) {
  async function page(of: WalletOnChain, limit: number, below: LogPlace | undefined): Promise<ApprovalPage> {
    // These blocks were searched for the page before.
    const known = below && (await pageWithin(of, limit, below, below.block, await store.findCoverage(of)))
    const found = known ?? (await searchedPage(of, limit, below))
    return { ...found, approvals: await withTimes(of, found.approvals) }
  }

  async function searchedPage(of: WalletOnChain, limit: number, below: LogPlace | undefined) {
    const search = searches.join(of, { newest: below === undefined })
    const until = performance.now() + WAIT_MS
    for (;;) {
      // Taken before the read, so that no progress is missed.
      const news = search.progress()
      const { covered, ended, head } = search
      const found = await pageWithin(of, limit, below, below?.block ?? head, covered)
      if (found) return found
      if (ended || !(await endedWithin(news, until - performance.now()))) throw notSearched(search)
    }
  }

  /** Requires that `covered` holds all blocks of the page. */
  async function pageWithin(
    of: WalletOnChain,
    limit: number,
    below: LogPlace | undefined,
    top: bigint,
    covered: readonly BlockRange[],
  ) {
    const range = covered.find(({ fromBlock, toBlock }) => fromBlock <= top && top <= toBlock)
    if (!range) return undefined
    const rows = await store.page(of, { top, below }, limit + 1)
    const approvals = rows.slice(0, limit).filter(({ block }) => block >= range.fromBlock)
    const isWhole = approvals.length === limit || range.fromBlock === 0n
    const isLast = range.fromBlock === 0n && rows.length <= limit
    return isWhole ? { approvals, last: isLast ? undefined : approvals.at(-1) } : undefined
  }

  async function withTimes(of: WalletOnChain, approvals: readonly StoredApproval[]): Promise<TimedApproval[]> {
    const untimed = approvals.filter(({ time }) => time === null)
    const times = await readTimes(of.chain, untimed)
    if (untimed.length > 0) await store.setTimes(of, times)
    return approvals.map((approval) => {
      const time = approval.time ?? times.get(approval.blockHash)
      if (time === undefined) throw new UpstreamError('invalid', 'a block was replaced meanwhile')
      return { ...approval, time }
    })
  }

  return { page }
}

function notSearched({ failure }: Search): unknown {
  return failure ?? new Failure('UPSTREAM_UNAVAILABLE', 'The search for approvals is not there yet; try again')
}

type Listed = { block: bigint; blockHash: string }

/** Unix seconds by block hash. */
type ReadBlockTimes = (chain: string, blocks: readonly Listed[]) => Promise<ReadonlyMap<string, number>>

/** Rejects with `UpstreamError` if a block was replaced. */
export function createReadBlockTimes(readingOf: (chain: string) => ApprovalReading): ReadBlockTimes {
  return async (chain, blocks) => {
    if (blocks.length === 0) return new Map()
    const hashes = new Map(blocks.map(({ block, blockHash }) => [block, blockHash]))
    const found = await readingOf(chain).blocks(chain, [...hashes.keys()])
    for (const { number, hash } of found) {
      if (hash !== hashes.get(number)) throw new UpstreamError('invalid', 'a block was replaced meanwhile')
    }
    return new Map(found.map(({ hash, timestamp }) => [hash, timestamp]))
  }
}
