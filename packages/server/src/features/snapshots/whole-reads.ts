import type { Chain } from '../../chains/chain.ts'
import { RpcRefusal } from '../../chains/evm/json-rpc.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Logger } from '../../lib/logger.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Collect } from '../portfolio/collect.ts'
import type { Discovery } from '../portfolio/discovery.ts'
import type { DayBlocks } from './day-blocks.ts'
import type { GapReason } from './snapshot-store.ts'

/** How much further a chain must have come before it is believed that its nodes have no state of a block, in seconds. */
const NO_STATE_AFTER_SECONDS = 6 * 3_600
/** How much further before a block that cannot be read whole is given up, in seconds. */
const UNREADABLE_AFTER_SECONDS = 72 * 3_600

/**
 * Why a wallet could not be read whole: the block is not final yet, its state is gone, or something of it cannot be read.
 * `lasting`: it has been so for long enough by the chain's own time not to pass by itself.
 */
export type Problem = { chain: string; reason: 'not-final' | GapReason; lasting: boolean; cause?: unknown }

/** Every chain, without a gap; or nothing at all. */
export type WholeRead = { reads: WalletRead[] } | { problem: Problem }

export type WholeReads = ReturnType<typeof createWholeReads>

/** Reads of a wallet on all chains that are complete: what cannot be read is never nothing. */
export function createWholeReads({
  chains,
  blocks,
  collect,
  refresh,
  discovery,
  log,
}: {
  chains: ReadonlyMap<string, Chain>
  blocks: DayBlocks
  collect: Collect
  refresh(chain: string, wallet: EvmAddress): Promise<WalletRead>
  discovery: Pick<Discovery, 'advance'>
  log: Pick<Logger, 'warn'>
}) {
  /** As the wallet was at the first block of the moment, on each chain. */
  function at(wallet: EvmAddress, timestamp: number): Promise<WholeRead> {
    return onAllChains(async (chain) => {
      const { final, block } = await blocks.find(chain.key, timestamp)
      if (!block) return { problem: { chain: chain.key, reason: 'not-final', lasting: false } }
      const age = final.timestamp - timestamp
      try {
        await search(chain, wallet, block.number)
        const { read } = await collect(chain, wallet, undefined, block)
        return whole(read, age)
      } catch (cause) {
        return { problem: problemOf(chain.key, age, cause) }
      }
    })
  }

  /** As the wallet is now. */
  function latest(wallet: EvmAddress): Promise<WholeRead> {
    return onAllChains(async (chain) => {
      try {
        const read = await refresh(chain.key, wallet)
        const found = await search(chain, wallet, read.block)
        return whole(found ? await refresh(chain.key, wallet) : read, 0)
      } catch (cause) {
        return { problem: problemOf(chain.key, 0, cause) }
      }
    })
  }

  /** Whether every chain that answers has come far enough that the moment's first block is final. */
  async function isFinal(timestamp: number): Promise<boolean> {
    const found = await Promise.allSettled([...chains.keys()].map((chain) => blocks.find(chain, timestamp)))
    return found.every((outcome) => outcome.status === 'fulfilled' && outcome.value.block !== undefined)
  }

  async function onAllChains(
    read: (chain: Chain) => Promise<{ read: WalletRead } | { problem: Problem }>,
  ): Promise<WholeRead> {
    const outcomes = await Promise.all([...chains.values()].map(read))
    const problems = outcomes.flatMap((outcome) => ('problem' in outcome ? [outcome.problem] : []))
    // One that may pass comes first: until it has, nothing is given up.
    const problem = problems.find(({ lasting }) => !lasting) ?? problems[0]
    return problem ? { problem } : { reads: outcomes.flatMap((outcome) => ('read' in outcome ? [outcome.read] : [])) }
  }

  /** Tokens on no list are part of a wallet too; what the search has not found yet is not waited for. */
  async function search(chain: Chain, wallet: EvmAddress, head: bigint): Promise<boolean> {
    try {
      return await discovery.advance(chain, wallet, head)
    } catch (err) {
      log.warn({ err, chain: chain.key }, 'the search for unlisted tokens stopped')
      return false
    }
  }

  return { at, latest, isFinal }
}

function whole(read: WalletRead, age: number): { read: WalletRead } | { problem: Problem } {
  const [gap] = read.gaps
  if (!gap) return { read }
  const cause = new Error(`${gap.protocol ?? 'the wallet'} is ${gap.reason}`)
  return { problem: unreadable(read.chain, age, cause) }
}

function problemOf(chain: string, age: number, cause: unknown): Problem {
  if (!(cause instanceof UpstreamError)) throw cause
  const isGone = cause instanceof RpcRefusal && cause.kind === 'unknown-block'
  return isGone
    ? { chain, reason: 'no-state', lasting: age > NO_STATE_AFTER_SECONDS, cause }
    : unreadable(chain, age, cause)
}

function unreadable(chain: string, age: number, cause: unknown): Problem {
  return { chain, reason: 'unreadable', lasting: age > UNREADABLE_AFTER_SECONDS, cause }
}

/** Unix seconds at which a UTC day, `YYYY-MM-DD`, begins. */
export function startOfDay(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 1_000
}
