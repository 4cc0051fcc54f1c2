import type { Chain } from '../../chains/chain.ts'
import type { Collected, PastBlock } from '../../chains/collected.ts'
import { lacksBlock } from '../../chains/rpc/json-rpc.ts'
import type { BlockAtTime } from '../../chains/seen-block.ts'
import type { SearchEnd, SearchStep } from '../../chains/shared/search-end.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { unsearched } from '../../wallets/wallet-search.ts'
import type { EarlyReads } from './early-reads-store.ts'
import type { GapReason } from './snapshot-store.ts'

/** Past a block, until its missing state counts as permanent. */
const NO_STATE_AFTER_SECONDS = 6 * 3_600
/** Past a block, until it is given up. */
const UNREADABLE_AFTER_SECONDS = 72 * 3_600

/** `lasting`: by the chain's own time it will not pass by itself. */
type Problem = { chain: string; reason: 'not-final' | GapReason; lasting: boolean; cause?: unknown }

export type Outcome = { read: WalletRead } | { problem: Problem }

export type DayStates = {
  chains: ReadonlyMap<string, Chain>
  /** Nodes serve no past states, so these reads cannot wait. */
  passing: boolean
  /** At the moment (Unix seconds), or acceptably near it. May reject with `UpstreamError`. */
  at(chain: Chain, wallet: Address, timestamp: number): Promise<Outcome>
  /** By the chain's own time. Rejects with `UpstreamError`. */
  hasBegun(chain: Chain, timestamp: number): Promise<boolean>
  /** Rejects with `UpstreamError`. */
  refresh(chain: string, wallet: Address): Promise<WalletRead>
  search: Search
}

export type Search = (chain: Chain, wallet: Address, head: bigint) => Promise<SearchStep>

function notFinal({ key }: Pick<Chain, 'key'>): Outcome {
  return { problem: { chain: key, reason: 'not-final', lasting: false } }
}

/**
 * `age`: seconds of the chain since the moment. A snapshot is never read again, so it records what was not searched.
 */
function whole(read: WalletRead, age: number, end: SearchEnd): Outcome {
  const [gap] = read.gaps
  if (!gap) return { read: end === 'whole' ? read : { ...read, gaps: [{ reason: unsearched(end) }] } }
  const cause = new Error(`${gap.protocol ?? 'the wallet'} is ${gap.reason}`)
  return { problem: unreadable(read.chain, age, cause) }
}

/** Rethrows anything but a node's failure. */
function problemOf(chain: string, age: number, cause: unknown): Problem {
  if (!(cause instanceof UpstreamError)) throw cause
  return lacksBlock(cause)
    ? { chain, reason: 'no-state', lasting: age > NO_STATE_AFTER_SECONDS, cause }
    : unreadable(chain, age, cause)
}

function unreadable(chain: string, age: number, cause: unknown): Problem {
  return { chain, reason: 'unreadable', lasting: age > UNREADABLE_AFTER_SECONDS, cause }
}

type OutcomeAt = Outcome & { hash?: string | null }

/**
 * For chains whose nodes keep past states, for a while or forever. Many nodes soon drop the state, so a wallet is read
 * before the block is final. The read counts once the block is final with the same hash.
 */
export function createKeptStates({
  blocks,
  earlyReads,
  collectAt,
  ...kind
}: Pick<DayStates, 'chains' | 'refresh' | 'search'> & {
  blocks: DayBlocks
  earlyReads: EarlyReads
  collectAt(chain: Chain, wallet: Address, block: PastBlock): Promise<Collected>
}): DayStates {
  async function at(chain: Chain, wallet: Address, timestamp: number): Promise<Outcome> {
    const { final, block, early } = await blocks.find(chain.key, timestamp)
    const key = { wallet, timestamp, chain: chain.key }
    if (early) return (await readEarly(chain, key, early)) ?? notFinal(chain)
    if (!block) return notFinal(chain)
    const kept = await earlyReads.find(key)
    if (kept?.hash === block.hash) return { read: kept.read }
    return readAt(chain, wallet, { target: block, age: final.timestamp - timestamp })
  }

  async function readEarly(
    chain: Chain,
    key: Parameters<EarlyReads['find']>[0],
    target: PastBlock & { hash: string },
  ): Promise<Outcome | undefined> {
    const kept = await earlyReads.find(key)
    if (kept?.hash === target.hash) return undefined
    const outcome = await readAt(chain, key.wallet, { target, age: 0 })
    if ('problem' in outcome) return outcome
    if (outcome.hash) await earlyReads.save(key, { hash: outcome.hash, read: outcome.read })
    return undefined
  }

  async function readAt(
    chain: Chain,
    wallet: Address,
    { target, age }: { target: PastBlock; age: number },
  ): Promise<OutcomeAt> {
    try {
      const { end } = await kind.search(chain, wallet, target.number)
      const { read, hash } = await collectAt(chain, wallet, target)
      return { ...whole(read, age, end), hash }
    } catch (cause) {
      return { problem: problemOf(chain.key, age, cause) }
    }
  }

  async function hasBegun({ key }: Chain, timestamp: number): Promise<boolean> {
    const { block, early } = await blocks.find(key, timestamp)
    return (block ?? early) !== undefined
  }

  return { ...kind, passing: false, at, hasBegun }
}

/** By the chain's own time. Allows for a restart, a short outage and other wallets' reads. */
const COUNTS_FOR_SECONDS = 3_600
const TIME_VALID_MS = 15_000
/** Keeps the read from being late. A busy machine needs most of it. */
const SEARCH_MS = 120_000

/**
 * For chains whose nodes serve no past states. Uses the chain's time in the slot that is read, so that a wrong local
 * clock neither misdates nor loses a snapshot.
 */
export function createPassingStates({
  timeOf,
  collectFinal,
  clock,
  ...kind
}: Pick<DayStates, 'chains' | 'refresh' | 'search'> & {
  /** Unix seconds of the last final slot. Rejects with `UpstreamError`. */
  timeOf(chain: string): Promise<number>
  /** At a final slot, without data of earlier reads. Rejects with `UpstreamError`. */
  collectFinal(chain: Chain, wallet: Address): Promise<WalletRead>
  clock: Clock
}): DayStates {
  const times = createKept<number>({ clock, freshMs: TIME_VALID_MS })
  const recentTimeOf = (chain: string) => times.get(chain, () => timeOf(chain))

  const hasBegun = async ({ key }: Chain, timestamp: number) => (await recentTimeOf(key)) >= timestamp

  async function at(chain: Chain, wallet: Address, timestamp: number): Promise<Outcome> {
    const outside = (time: number) => outsideOf({ chain, timestamp, time })
    const now = await recentTimeOf(chain.key)
    const tooLate = outside(now)
    if (tooLate) return tooLate
    const search = kind.search(chain, wallet, 0n)
    const end = (await endedWithin(search, SEARCH_MS)) ? (await search).end : 'unfinished'
    const read = await collectFinal(chain, wallet)
    return outside(read.blockTime) ?? whole(read, 0, end)
  }

  return { ...kind, passing: true, at, hasBegun }
}

function outsideOf({ chain, timestamp, time }: { chain: Chain; timestamp: number; time: number }): Outcome | undefined {
  if (time < timestamp) return notFinal(chain)
  if (time <= timestamp + COUNTS_FOR_SECONDS) return undefined
  return { problem: { chain: chain.key, reason: 'no-state', lasting: true } }
}

/** Chains times days of a backfill. */
const REMEMBERED = 10_000
/** Until a chain without a final block is asked again. */
const PATIENCE_MS = 15_000

type DayBlocks = ReturnType<typeof createDayBlocks>

export function createDayBlocks({
  blockAt,
  clock,
}: {
  blockAt(chain: string, timestamp: number): Promise<BlockAtTime>
  clock: Clock
}) {
  const kept = createKept<BlockAtTime>({
    most: REMEMBERED,
    clock,
    freshMs: ({ block }) => (block ? Number.POSITIVE_INFINITY : PATIENCE_MS),
  })
  return {
    /** Rejects with `UpstreamError`. */
    find: (chain: string, timestamp: number): Promise<BlockAtTime> =>
      kept.get(`${chain} ${timestamp}`, () => blockAt(chain, timestamp)),
  }
}

export type WholeRead = { reads: WalletRead[] } | { problem: Problem }

export type WholeReads = ReturnType<typeof createWholeReads>

/** Completely or not at all: an unreadable part never counts as empty. */
export function createWholeReads(statesOf: (wallet: Address) => DayStates | undefined) {
  function kindOf(wallet: Address): DayStates {
    const states = statesOf(wallet)
    if (!states) throw new Error('no chain of this kind is read here')
    return states
  }

  /** `timestamp` in Unix seconds. */
  function at(wallet: Address, timestamp: number): Promise<WholeRead> {
    return onAllChains(wallet, (chain, kind) => kind.at(chain, wallet, timestamp))
  }

  function latest(wallet: Address): Promise<WholeRead> {
    return onAllChains(wallet, async (chain, { refresh, search }) => {
      const read = await refresh(chain.key, wallet)
      const { found, end } = await search(chain, wallet, read.block)
      return whole(found ? await refresh(chain.key, wallet) : read, 0, end)
    })
  }

  function isRead(wallet: Address): boolean {
    return (statesOf(wallet)?.chains.size ?? 0) > 0
  }

  async function hasBegun(wallet: Address, timestamp: number): Promise<boolean> {
    const { chains, hasBegun: begun } = kindOf(wallet)
    const found = await Promise.allSettled([...chains.values()].map((chain) => begun(chain, timestamp)))
    return found.some((outcome) => outcome.status === 'fulfilled' && outcome.value)
  }

  async function onAllChains(
    wallet: Address,
    read: (chain: Chain, kind: DayStates) => Promise<Outcome>,
  ): Promise<WholeRead> {
    const kind = kindOf(wallet)
    if (!isRead(wallet)) throw new Error('no chain of this kind is read here')
    const outcomes = await Promise.all(
      [...kind.chains.values()].map((chain) =>
        read(chain, kind).catch((cause: unknown): Outcome => ({ problem: problemOf(chain.key, 0, cause) })),
      ),
    )
    const problems = outcomes.flatMap((outcome) => ('problem' in outcome ? [outcome.problem] : []))
    // While there is a transient problem, nothing is given up.
    const problem = problems.find(({ lasting }) => !lasting) ?? problems[0]
    return problem ? { problem } : { reads: outcomes.flatMap((outcome) => ('read' in outcome ? [outcome.read] : [])) }
  }

  const isPassing = (wallet: Address) => statesOf(wallet)?.passing ?? false

  return { at, latest, isRead, isPassing, hasBegun }
}
