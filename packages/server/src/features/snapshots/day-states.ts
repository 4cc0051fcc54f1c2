import type { Chain } from '../../chains/chain.ts'
import { lacksBlock } from '../../chains/rpc/json-rpc.ts'
import type { SearchEnd, SearchStep } from '../../chains/shared/search-end.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { unsearched } from '../../wallets/wallet-search.ts'
import type { GapReason } from './snapshot-store.ts'

/** Past a block, until its missing state counts as permanent. */
const NO_STATE_AFTER_SECONDS = 6 * 3_600
/** Past a block, until it is given up. */
const UNREADABLE_AFTER_SECONDS = 72 * 3_600

/** `lasting`: by the chain's own time it will not pass by itself. */
export type Problem = { chain: string; reason: 'not-final' | GapReason; lasting: boolean; cause?: unknown }

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

export function notFinal({ key }: Pick<Chain, 'key'>): Outcome {
  return { problem: { chain: key, reason: 'not-final', lasting: false } }
}

/**
 * `age`: seconds of the chain since the moment. A snapshot is never read again, so it records what was not searched.
 */
export function whole(read: WalletRead, age: number, end: SearchEnd): Outcome {
  const [gap] = read.gaps
  if (!gap) return { read: end === 'whole' ? read : { ...read, gaps: [{ reason: unsearched(end) }] } }
  const cause = new Error(`${gap.protocol ?? 'the wallet'} is ${gap.reason}`)
  return { problem: unreadable(read.chain, age, cause) }
}

/** Rethrows anything but a node's failure. */
export function problemOf(chain: string, age: number, cause: unknown): Problem {
  if (!(cause instanceof UpstreamError)) throw cause
  return lacksBlock(cause)
    ? { chain, reason: 'no-state', lasting: age > NO_STATE_AFTER_SECONDS, cause }
    : unreadable(chain, age, cause)
}

function unreadable(chain: string, age: number, cause: unknown): Problem {
  return { chain, reason: 'unreadable', lasting: age > UNREADABLE_AFTER_SECONDS, cause }
}
