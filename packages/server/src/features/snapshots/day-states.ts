import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Chain } from '../../kinds/chain.ts'
import { lacksBlock } from '../../kinds/rpc/json-rpc.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { type SearchEnd, type SearchStep, unsearched } from '../portfolio/wallet-search.ts'
import type { GapReason } from './snapshot-store.ts'

/** How much further a chain must have come before it is believed that its nodes have no state of a block, in seconds. */
const NO_STATE_AFTER_SECONDS = 6 * 3_600
/** How much further before a block that cannot be read whole is given up, in seconds. */
const UNREADABLE_AFTER_SECONDS = 72 * 3_600

/**
 * Why a wallet could not be read whole: the moment is not final yet, its state is gone, or something of it cannot be read.
 * `lasting`: it has been so for long enough by the chain's own time not to pass by itself.
 */
export type Problem = { chain: string; reason: 'not-final' | GapReason; lasting: boolean; cause?: unknown }

/** A wallet on one chain without a gap but for what could not be searched, or why not. */
export type Outcome = { read: WalletRead } | { problem: Problem }

/** How chains of one kind tell what a wallet had when a day began. */
export type DayStates = {
  /** Those that are read here. */
  chains: ReadonlyMap<string, Chain>
  /** Nothing tells their states of the past: what is not read soon after its moment never is, and goes before what can wait. */
  passing: boolean
  /** The wallet at the moment (Unix seconds), or as near to it as counts. May reject with `UpstreamError`. */
  at(chain: Chain, wallet: Address, timestamp: number): Promise<Outcome>
  /** Whether the chain has come to the moment, by its own time. Rejects with `UpstreamError`. */
  hasBegun(chain: Chain, timestamp: number): Promise<boolean>
  /** Reads the wallet as it is now. Rejects with `UpstreamError`. */
  refresh(chain: string, wallet: Address): Promise<WalletRead>
  search: Search
}

/** Searches on for what a read would not think of, and answers how far it came: what it does not come to is not waited for. */
export type Search = (chain: Chain, wallet: Address, head: bigint) => Promise<SearchStep>

export function notFinal({ key }: Pick<Chain, 'key'>): Outcome {
  return { problem: { chain: key, reason: 'not-final', lasting: false } }
}

/**
 * A read counts if nothing of it is missing or older than the rest. `age`: seconds that the chain has come since. `end`: how
 * the search before it ended; a snapshot is never read again, so it says for good what was not searched.
 */
export function whole(read: WalletRead, age: number, end: SearchEnd): Outcome {
  const [gap] = read.gaps
  if (!gap) return { read: end === 'whole' ? read : { ...read, gaps: [{ reason: unsearched(end) }] } }
  const cause = new Error(`${gap.protocol ?? 'the wallet'} is ${gap.reason}`)
  return { problem: unreadable(read.chain, age, cause) }
}

/** What a read that failed means. What is no failure of a node is thrown on. */
export function problemOf(chain: string, age: number, cause: unknown): Problem {
  if (!(cause instanceof UpstreamError)) throw cause
  return lacksBlock(cause)
    ? { chain, reason: 'no-state', lasting: age > NO_STATE_AFTER_SECONDS, cause }
    : unreadable(chain, age, cause)
}

function unreadable(chain: string, age: number, cause: unknown): Problem {
  return { chain, reason: 'unreadable', lasting: age > UNREADABLE_AFTER_SECONDS, cause }
}
