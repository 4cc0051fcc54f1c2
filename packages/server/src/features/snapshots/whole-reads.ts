import type { Chain } from '../../chains/chain.ts'
import type { BlockHeader } from '../../chains/evm/evm-reader.ts'
import { RpcRefusal } from '../../chains/rpc/json-rpc.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Logger } from '../../lib/logger.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Collect, PastBlock } from '../portfolio/collect.ts'
import type { Discovery } from '../portfolio/discovery.ts'
import type { DayBlocks } from './day-blocks.ts'
import type { EarlyReads } from './early-reads-store.ts'
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

/** Of one chain; `hash` is that of the block that was read. */
type Outcome = { read: WalletRead; hash?: BlockHeader['hash'] } | { problem: Problem }

export type WholeReads = ReturnType<typeof createWholeReads>

/** Reads of a wallet on all chains that are complete: what cannot be read is never nothing. */
export function createWholeReads({
  chains,
  blocks,
  earlyReads,
  collect,
  refresh,
  discovery,
  log,
}: {
  chains: ReadonlyMap<string, Chain>
  blocks: DayBlocks
  earlyReads: EarlyReads
  collect: Collect
  refresh(chain: string, wallet: EvmAddress): Promise<WalletRead>
  discovery: Pick<Discovery, 'advance'>
  log: Pick<Logger, 'warn'>
}) {
  /**
   * As the wallet was at the first block of the moment, on each chain. It is read as soon as there is such a block, for many
   * nodes soon drop its state, and counts once the block is final and the same.
   */
  function at(wallet: EvmAddress, timestamp: number): Promise<WholeRead> {
    return onAllChains(async (chain) => {
      const { final, block, early } = await blocks.find(chain.key, timestamp)
      const key = { wallet, timestamp, chain: chain.key }
      if (early) return (await readEarly(chain, key, early)) ?? notFinal(chain)
      if (!block) return notFinal(chain)
      const kept = await earlyReads.find(key)
      if (kept?.hash === block.hash) return { read: kept.read }
      return readAt(chain, wallet, { target: block, age: final.timestamp - timestamp })
    })
  }

  /** Reads and keeps what is not kept yet; answers why it cannot. */
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
    wallet: EvmAddress,
    { target, age }: { target: PastBlock; age: number },
  ): Promise<Outcome> {
    try {
      await search(chain, wallet, target.number)
      const { read, hash } = await collect(chain, wallet, undefined, target)
      return { ...whole(read, age), hash }
    } catch (cause) {
      return { problem: problemOf(chain.key, age, cause) }
    }
  }

  /** As the wallet is now. */
  function latest(wallet: EvmAddress): Promise<WholeRead> {
    return onAllChains(async (chain) => {
      const read = await refresh(chain.key, wallet)
      const found = await search(chain, wallet, read.block)
      return whole(found ? await refresh(chain.key, wallet) : read, 0)
    })
  }

  /** Whether a chain has come to the moment: there is something to read. */
  async function hasBegun(timestamp: number): Promise<boolean> {
    const found = await Promise.allSettled([...chains.keys()].map((chain) => blocks.find(chain, timestamp)))
    return found.some((outcome) => outcome.status === 'fulfilled' && (outcome.value.block ?? outcome.value.early))
  }

  async function onAllChains(read: (chain: Chain) => Promise<Outcome>): Promise<WholeRead> {
    const outcomes = await Promise.all(
      [...chains.values()].map((chain) =>
        read(chain).catch((cause: unknown): Outcome => ({ problem: problemOf(chain.key, 0, cause) })),
      ),
    )
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

  return { at, latest, hasBegun }
}

function notFinal({ key }: Chain): Outcome {
  return { problem: { chain: key, reason: 'not-final', lasting: false } }
}

function whole(read: WalletRead, age: number): Outcome {
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
