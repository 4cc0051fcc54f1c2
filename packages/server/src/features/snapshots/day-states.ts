import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Chain } from '../../kinds/chain.ts'
import type { SearchEnd, SearchStep } from '../../kinds/collect/search-end.ts'
import { lacksBlock } from '../../kinds/rpc/json-rpc.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { unsearched } from '../../reading/wallet-search.ts'
import type { GapReason } from './snapshot-store.ts'

/** How far, in seconds, a chain must be past a block before a missing state of it counts as permanent. */
const NO_STATE_AFTER_SECONDS = 6 * 3_600
/** How far, in seconds, before a block that cannot be read completely is given up. */
const UNREADABLE_AFTER_SECONDS = 72 * 3_600

/**
 * Why a wallet could not be read completely: the moment is not final yet, its state is gone, or a part is unreadable.
 * `lasting`: it has lasted so long, by the chain's own time, that it will not pass by itself.
 */
export type Problem = { chain: string; reason: 'not-final' | GapReason; lasting: boolean; cause?: unknown }

/** A read of a wallet on one chain without a gap (except for what could not be searched), or why there is none. */
export type Outcome = { read: WalletRead } | { problem: Problem }

/** How chains of one kind provide a wallet's state at the start of a day. */
export type DayStates = {
  /** Those that are read here. */
  chains: ReadonlyMap<string, Chain>
  /** Nodes serve no past states: what is not read soon after its moment never is, so it goes before what can wait. */
  passing: boolean
  /** The wallet at the moment (Unix seconds), or as near to it as counts. May reject with `UpstreamError`. */
  at(chain: Chain, wallet: Address, timestamp: number): Promise<Outcome>
  /** Whether the chain has come to the moment, by its own time. Rejects with `UpstreamError`. */
  hasBegun(chain: Chain, timestamp: number): Promise<boolean>
  /** Reads the wallet as it is now. Rejects with `UpstreamError`. */
  refresh(chain: string, wallet: Address): Promise<WalletRead>
  search: Search
}

/** Continues the search for unlisted assets and returns how far it came; the rest is not waited for. */
export type Search = (chain: Chain, wallet: Address, head: bigint) => Promise<SearchStep>

export function notFinal({ key }: Pick<Chain, 'key'>): Outcome {
  return { problem: { chain: key, reason: 'not-final', lasting: false } }
}

/**
 * A read counts if no part of it is missing or stale. `age`: seconds by which the chain is past the moment. `end`: how
 * the search before it ended; a snapshot is never read again, so it records for good what was not searched.
 */
export function whole(read: WalletRead, age: number, end: SearchEnd): Outcome {
  const [gap] = read.gaps
  if (!gap) return { read: end === 'whole' ? read : { ...read, gaps: [{ reason: unsearched(end) }] } }
  const cause = new Error(`${gap.protocol ?? 'the wallet'} is ${gap.reason}`)
  return { problem: unreadable(read.chain, age, cause) }
}

/** Classifies a failed read. Rethrows anything but a node's failure. */
export function problemOf(chain: string, age: number, cause: unknown): Problem {
  if (!(cause instanceof UpstreamError)) throw cause
  return lacksBlock(cause)
    ? { chain, reason: 'no-state', lasting: age > NO_STATE_AFTER_SECONDS, cause }
    : unreadable(chain, age, cause)
}

function unreadable(chain: string, age: number, cause: unknown): Problem {
  return { chain, reason: 'unreadable', lasting: age > UNREADABLE_AFTER_SECONDS, cause }
}
