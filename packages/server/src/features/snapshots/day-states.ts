import type { Chain } from '../../chains/chain.ts'
import type { DayReading } from '../../chains/chain-reading.ts'
import type { PastBlock } from '../../chains/collected.ts'
import { lacksBlock } from '../../chains/rpc/json-rpc.ts'
import type { BlockAtTime } from '../../chains/seen-block.ts'
import type { SearchEnd, SearchStep } from '../../chains/shared/search-end.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { unsearched } from '../../wallets/wallet-search.ts'
import { findEarlyRead, type GapReason, saveEarlyRead } from './snapshot-store.ts'

/** Past a block, until its missing state counts as permanent. */
const NO_STATE_AFTER_SECONDS = 6 * 3_600
/** Past a block, until it is given up. */
const UNREADABLE_AFTER_SECONDS = 72 * 3_600
/** Chains times days of a backfill. */
const REMEMBERED = 10_000
/** Until a chain without a final block is asked again. */
const PATIENCE_MS = 15_000
/** By the chain's own time. Allows for a restart and other wallets' reads. */
export const COUNTS_FOR_SECONDS = 3_600
const TIME_VALID_MS = 15_000
/** Keeps the read from being late. */
const SEARCH_MS = 120_000

/** `lasting`: by the chain's own time it will not pass by itself. */
type Problem = { chain: string; reason: 'not-final' | GapReason; lasting: boolean; cause?: unknown }

type Outcome = { read: WalletRead } | { problem: Problem }

type Shared = {
  chains: ReadonlyMap<string, Chain>
  /** Rejects with `UpstreamError`. */
  refresh(chain: string, wallet: Address): Promise<WalletRead>
  search(chain: Chain, wallet: Address, head: bigint): Promise<SearchStep>
}

/** Past states are kept, for a while or forever. */
type KeptDays = Shared & Extract<DayReading, { kept: true }>

/** Nodes serve no past states, so these reads cannot wait. */
type PassingDays = Shared & Extract<DayReading, { kept: false }>

export type DayStates = KeptDays | PassingDays

export type SnapshotsContext = {
  db: Db
  daysOf(wallet: Address): DayStates | undefined
}

/** Remembers blocks and times. */
export function dayStatesOf(shared: Shared, days: DayReading, clock: Clock): DayStates {
  if (!days.kept) {
    const times = createKept<number>({ clock, freshMs: TIME_VALID_MS })
    return { ...shared, ...days, timeOf: (chain) => times.get(chain, () => days.timeOf(chain)) }
  }
  const blocks = createKept<BlockAtTime>({
    most: REMEMBERED,
    clock,
    freshMs: ({ block }) => (block ? Number.POSITIVE_INFINITY : PATIENCE_MS),
  })
  const blockAt = (chain: string, timestamp: number) =>
    blocks.get(`${chain} ${timestamp}`, () => days.blockAt(chain, timestamp))
  return { ...shared, ...days, blockAt }
}

export type WholeRead = { reads: WalletRead[] } | { problem: Problem }

/** An unreadable part never counts as empty. `timestamp` in Unix seconds. */
export async function readDay(context: SnapshotsContext, wallet: Address, timestamp: number): Promise<WholeRead> {
  const days = readDaysOf(context, wallet)
  return onAllChains(days, (chain) => {
    const day = { chain, wallet, timestamp }
    return days.kept ? readKept(context.db, days, day) : readPassing(days, day)
  })
}

export async function readLatest(context: SnapshotsContext, wallet: Address): Promise<WholeRead> {
  const days = readDaysOf(context, wallet)
  return onAllChains(days, async (chain) => {
    const read = await days.refresh(chain.key, wallet)
    const { found, end } = await days.search(chain, wallet, read.block)
    return whole(found ? await days.refresh(chain.key, wallet) : read, 0, end)
  })
}

export function isRead({ daysOf }: SnapshotsContext, wallet: Address): boolean {
  return (daysOf(wallet)?.chains.size ?? 0) > 0
}

export function isPassing({ daysOf }: SnapshotsContext, wallet: Address): boolean {
  return daysOf(wallet)?.kept === false
}

export async function hasBegun(context: SnapshotsContext, wallet: Address, timestamp: number): Promise<boolean> {
  const days = readDaysOf(context, wallet)
  const found = await Promise.allSettled([...days.chains.values()].map((chain) => hasBegunOn(days, chain, timestamp)))
  return found.some((outcome) => outcome.status === 'fulfilled' && outcome.value)
}

/** By the chain's own time. Rejects with `UpstreamError`. */
async function hasBegunOn(days: DayStates, { key }: Chain, timestamp: number): Promise<boolean> {
  if (!days.kept) return (await days.timeOf(key)) >= timestamp
  const { block, early } = await days.blockAt(key, timestamp)
  return (block ?? early) !== undefined
}

function readDaysOf(context: SnapshotsContext, wallet: Address): DayStates {
  const days = context.daysOf(wallet)
  if (!days || days.chains.size === 0) throw new Error('this service reads no chain of this type')
  return days
}

async function onAllChains({ chains }: DayStates, read: (chain: Chain) => Promise<Outcome>): Promise<WholeRead> {
  const outcomes = await Promise.all(
    [...chains.values()].map((chain) =>
      read(chain).catch((cause: unknown): Outcome => ({ problem: problemOf(chain.key, 0, cause) })),
    ),
  )
  const problems = outcomes.flatMap((outcome) => ('problem' in outcome ? [outcome.problem] : []))
  // While there is a transient problem, nothing is given up.
  const problem = problems.find(({ lasting }) => !lasting) ?? problems[0]
  return problem ? { problem } : { reads: outcomes.flatMap((outcome) => ('read' in outcome ? [outcome.read] : [])) }
}

type Day = { chain: Chain; wallet: Address; timestamp: number }

/** Nodes soon drop states, so a read before finality counts if the final block has its hash. */
async function readKept(db: Db, days: KeptDays, day: Day): Promise<Outcome> {
  const { chain, wallet, timestamp } = day
  const { final, block, early } = await days.blockAt(chain.key, timestamp)
  const key = { wallet, timestamp, chain: chain.key }
  const kept = early || block ? await findEarlyRead(db, key) : undefined
  if (early) {
    if (kept?.hash === early.hash) return notFinal(chain)
    const outcome = await readAt(days, day, early, 0)
    if ('problem' in outcome) return outcome
    if (outcome.hash) await saveEarlyRead(db, key, { hash: outcome.hash, read: outcome.read })
    return notFinal(chain)
  }
  if (!block) return notFinal(chain)
  if (kept?.hash === block.hash) return { read: kept.read }
  return readAt(days, day, block, final.timestamp - timestamp)
}

async function readAt(days: KeptDays, { chain, wallet }: Day, target: PastBlock, age: number) {
  try {
    const { end } = await days.search(chain, wallet, target.number)
    const { read, hash } = await days.collectAt(chain, wallet, target)
    return { ...whole(read, age, end), hash }
  } catch (cause) {
    return { problem: problemOf(chain.key, age, cause) }
  }
}

/** Uses the chain's time: a wrong local clock must not misdate a snapshot. */
async function readPassing(days: PassingDays, { chain, wallet, timestamp }: Day): Promise<Outcome> {
  const outside = (time: number): Outcome | undefined => {
    if (time < timestamp) return notFinal(chain)
    if (time <= timestamp + COUNTS_FOR_SECONDS) return undefined
    return { problem: { chain: chain.key, reason: 'no-state', lasting: true } }
  }
  const tooLate = outside(await days.timeOf(chain.key))
  if (tooLate) return tooLate
  const search = days.search(chain, wallet, 0n)
  const end = (await endedWithin(search, SEARCH_MS)) ? (await search).end : 'unfinished'
  const read = await days.collectFinal(chain, wallet)
  return outside(read.blockTime) ?? whole(read, 0, end)
}

const notFinal = ({ key }: Chain): Outcome => ({ problem: { chain: key, reason: 'not-final', lasting: false } })

/** `age` in seconds. A snapshot records what was not searched: it is never read again. */
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
