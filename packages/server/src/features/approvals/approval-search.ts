import type { ApprovalReading } from '../../chains/approval-reading.ts'
import type { PresentChain, SeenBlock } from '../../chains/seen-block.ts'
import type { Coverage } from '../../db/coverage.ts'
import { type BlockRange, mergeRanges, missingRanges } from '../../domain/block-ranges.ts'
import { searchBack } from '../../domain/search-back.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Gate } from '../../lib/concurrency.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { saveApprovals } from './approval-store.ts'

/** Per search; the next one continues. */
const MOST_PIECES = 200
/** Older searches miss the newest blocks. */
const FRESH_MS = 60_000

/** `covered` may be answered from, as of `head`. `failure` ended the search early. */
type State = { covered: readonly BlockRange[]; head: bigint; ended: boolean; failure: unknown }

export type Search = Readonly<State> & {
  /** Resolves when coverage grows or the search ends. Never rejects. */
  progress(): Promise<void>
}

export type SearchContext = {
  coverage: Coverage
  /** Returns the covered blocks that are still on the chain. */
  beginSearch(of: WalletOnChain, head: SeenBlock, present: PresentChain): Promise<BlockRange[]>
  /** By chain and wallet. */
  running: Map<string, { search: Search; since: number }>
  /** For pieces of all searches. */
  gate: Gate
  /** undefined: the chain is not enabled, or has no approvals. */
  readingOf(chain: string): ApprovalReading | undefined
  clock: Clock
  log: WarnLog
}

/** From the newest block to the first. */
export function joinSearch(context: SearchContext, of: WalletOnChain, { newest }: { newest: boolean }): Search {
  const { running, clock } = context
  const key = `${of.chain}:${of.wallet}`
  const known = running.get(key)
  if (known && !(newest && known.since + FRESH_MS < clock.now())) return known.search
  const search = begin(context, of, () => {
    if (running.get(key)?.search === search) running.delete(key)
  })
  running.set(key, { search, since: clock.now() })
  return search
}

function begin(context: SearchContext, of: WalletOnChain, onEnd: () => void): Search {
  let news = Promise.withResolvers<void>()
  const state: State = { covered: [], head: 0n, ended: false, failure: undefined }
  const tell = () => {
    const reported = news
    news = Promise.withResolvers<void>()
    reported.resolve()
  }
  run(context, of, state, tell)
    .catch((err: unknown) => {
      state.failure = err
      context.log.warn(
        { err, chain: of.chain },
        'a search for approvals failed: waiting requests fail, and the next request continues the search',
      )
    })
    .finally(() => {
      state.ended = true
      onEnd()
      tell()
    })
  return Object.assign(state, { progress: () => news.promise })
}

async function run(context: SearchContext, of: WalletOnChain, state: State, tell: () => void): Promise<void> {
  const { coverage, gate } = context
  const reading = context.readingOf(of.chain)
  if (!reading) throw new Error(`${of.chain} has no approvals here`)
  const { number, hash } = await reading.head(of.chain)
  state.covered = await context.beginSearch(of, { block: number, hash }, reading.present(of.chain))
  state.head = number
  tell()
  const findMissing = () => missingRanges({ fromBlock: 0n, toBlock: state.head }, state.covered)
  for await (const { piece } of searchBack(findMissing, { most: MOST_PIECES })) {
    const found = await gate(() => reading.find(of, piece))
    await saveApprovals(coverage, of, found.covered, found.approvals)
    state.covered = mergeRanges([...state.covered, ...found.covered])
    tell()
    if (found.missing.length > 0) throw found.failure ?? new UpstreamError('unavailable', 'the range took too long')
  }
}
