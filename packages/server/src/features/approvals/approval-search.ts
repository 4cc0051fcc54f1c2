import type { ApprovalReading } from '../../chains/approval-reading.ts'
import { type BlockRange, mergeRanges, missingRanges } from '../../domain/block-ranges.ts'
import { searchBack } from '../../domain/search-back.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'
import type { Clock } from '../../lib/clock.ts'
import { createGate } from '../../lib/concurrency.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { ApprovalStore } from './approval-store.ts'

/** Per search; the next one continues. */
const MOST_PIECES = 200
/** Over all searches. */
const PIECES_AT_ONCE = 16
/** Older searches miss the newest blocks. */
const FRESH_MS = 60_000

/** `covered` may be answered from, as of `head`. `failure` ended the search early. */
type State = { covered: readonly BlockRange[]; head: bigint; ended: boolean; failure: unknown }

export type Search = Readonly<State> & {
  /** Resolves when coverage grows or the search ends. Never rejects. */
  progress(): Promise<void>
}

export type ApprovalSearches = ReturnType<typeof createApprovalSearches>

/** From the newest block to the first. */
export function createApprovalSearches({
  readingOf,
  store,
  clock,
  log,
}: {
  readingOf(chain: string): ApprovalReading | undefined
  store: ApprovalStore
  clock: Clock
  log: WarnLog
}) {
  const gate = createGate(PIECES_AT_ONCE)
  const running = new Map<string, { search: Search; since: number }>()

  function join(of: WalletOnChain, { newest }: { newest: boolean }): Search {
    const key = `${of.chain}:${of.wallet}`
    const known = running.get(key)
    if (known && !(newest && known.since + FRESH_MS < clock.now())) return known.search
    const search = begin(of, () => {
      if (running.get(key)?.search === search) running.delete(key)
    })
    running.set(key, { search, since: clock.now() })
    return search
  }

  function begin(of: WalletOnChain, onEnd: () => void): Search {
    let news = Promise.withResolvers<void>()
    const state: State = { covered: [], head: 0n, ended: false, failure: undefined }
    const tell = () => {
      const told = news
      news = Promise.withResolvers<void>()
      told.resolve()
    }
    run(of, state, tell)
      .catch((err: unknown) => {
        state.failure = err
        log.warn(
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

  async function run(of: WalletOnChain, state: State, tell: () => void): Promise<void> {
    const reading = readingOf(of.chain)
    if (!reading) throw new Error(`${of.chain} has no approvals here`)
    const { number, hash } = await reading.head(of.chain)
    state.covered = await store.begin(of, { block: number, hash }, reading.present(of.chain))
    state.head = number
    tell()
    const findMissing = () => missingRanges({ fromBlock: 0n, toBlock: state.head }, state.covered)
    for await (const { piece } of searchBack(findMissing, { most: MOST_PIECES })) {
      const found = await gate(() => reading.find(of, piece))
      await store.save(of, found.covered, found.approvals)
      state.covered = mergeRanges([...state.covered, ...found.covered])
      tell()
      if (found.missing.length > 0) throw found.failure ?? new UpstreamError('unavailable', 'the range took too long')
    }
  }

  return { join }
}
