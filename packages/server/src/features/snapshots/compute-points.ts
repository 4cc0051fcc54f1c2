import { lacksBlock } from '../../chains/rpc/json-rpc.ts'
import type { KnownBlock } from '../../chains/seen-block.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, ZERO } from '../../domain/decimal.ts'
import { gapsOf, totalOf, type ValuedRead } from '../../domain/valuation.ts'
import { pagesOf } from '../../lib/pages.ts'
import { upstreamOnly } from '../../lib/upstream-error.ts'
import { WALLET_KEY } from '../portfolio/present-portfolio.ts'
import { missingReason, noneOnFailure, type PastChain, type PastReads } from './past-reads.ts'
import { findKnown, type Point, type PointGap, savePoints } from './point-store.ts'

/** All wallets of a block share its requests. */
const BLOCKS_AT_ONCE = 8

type PointReads = {
  blocksAt: PastReads['blocksAt']
  readWhole: PastReads['readWhole']
  oldestState: PastReads['oldestState']
}

type PointsContext = { db: Db; past: PointReads }

type Wanted = { past: PastChain; wallets: readonly Address[]; times: readonly number[] }

/** `oldest`: no endpoint has the state of older blocks. `isDown`: none answers. */
type Run = { reads: PointReads; past: PastChain; oldest: bigint; isDown: boolean }

/**
 * Computes the missing points of a chain and stores each page of them. Newest first: its search finds the tokens of
 * older blocks.
 */
export async function computePoints(
  { db, past: reads }: PointsContext,
  signal: AbortSignal,
  { past, wallets, times }: Wanted,
): Promise<void> {
  const chain = past.chain.key
  const known = await findKnown(db, chain, { wallets, times })
  const dueOf = (time: number) => wallets.filter((wallet) => !known.has(`${wallet} ${time}`))
  const due = times.filter((time) => dueOf(time).length > 0)
  const blocks = due.length > 0 ? await reads.blocksAt(past, due).catch(noneOnFailure) : undefined
  const run: Run = { reads, past, oldest: 0n, isDown: blocks === undefined }
  const [newest, ...older] = due.toReversed()
  const pages = newest === undefined ? [] : [[newest], ...pagesOf(older, BLOCKS_AT_ONCE)]
  for (const page of pages) {
    signal.throwIfAborted()
    const found = await Promise.all(
      page.flatMap((time) =>
        dueOf(time).map(async (wallet) => ({
          wallet,
          point: await pointAt(run, wallet, { time, block: blocks?.get(time) }),
        })),
      ),
    )
    run.isDown ||= page.length > 1 && found.every(({ point }) => point.gaps.some(isUnreadable) && !point.protocols)
    for (const [wallet, ofWallet] of Map.groupBy(found, ({ wallet }) => wallet)) {
      await savePoints(
        db,
        { wallet, chain },
        ofWallet.map(({ point }) => point),
      )
    }
  }
}

const isUnreadable = ({ reason }: PointGap) => reason === 'unreadable'

async function pointAt(
  run: Run,
  wallet: Address,
  { time, block }: { time: number; block: KnownBlock | undefined },
): Promise<Point> {
  const { reads, past } = run
  const canSettle = !past.chain.isLocal
  if (run.isDown) return { time, block, gaps: [{ reason: 'unreadable' }], isSettled: false }
  if (!block) return { time, protocols: new Map(), gaps: [], isSettled: canSettle }
  if (block.number < run.oldest) return { time, block, gaps: [{ reason: 'no-state' }], isSettled: false }
  try {
    const { valued, searching, isKept } = await reads.readWhole(past, wallet, block)
    const gaps = [...gapsOf(valued), ...(searching ? [{ reason: searching }] : [])]
    return { time, block, protocols: worthOf(valued), gaps, isSettled: isKept && canSettle && !searching }
  } catch (error) {
    const failure = upstreamOnly(error)
    if (lacksBlock(failure)) run.oldest = (await reads.oldestState(past, block.number)) ?? run.oldest
    return { time, block, gaps: [{ reason: missingReason(failure) }], isSettled: false }
  }
}

/** By protocol; `wallet` has what no protocol has. */
export function worthOf({ held, positions }: ValuedRead): ReadonlyMap<string, Decimal> {
  const worth = new Map<string, Decimal>(held.length > 0 ? [[WALLET_KEY, totalOf(held)]] : [])
  for (const { position, value } of positions) {
    worth.set(position.protocol, (worth.get(position.protocol) ?? ZERO).plus(value))
  }
  return worth
}
