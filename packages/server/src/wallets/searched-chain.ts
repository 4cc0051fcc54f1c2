import type { PresentChain, SeenBlock } from '../chains/seen-block.ts'
import type { Coverage } from '../db/coverage.ts'
import type { Db, Trx } from '../db/tables.ts'
import { type BlockRange, rangesUpTo } from '../domain/block-ranges.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'

/** Fallbacks if a reorg replaced the newest. */
const MOST_HEADS = 8

/** `heads`: ends of searches, newest first. */
type SearchedBefore = { covered: BlockRange[]; heads: SeenBlock[] }

/** Coverage up to a head holds while the chain has that block. */
export function createSearchedChain(
  db: Db,
  coverage: Coverage,
  forgetFound?: (trx: Trx, of: WalletOnChain, fromBlock: bigint) => Promise<unknown>,
) {
  async function begin(of: WalletOnChain, head: SeenBlock, present: PresentChain): Promise<BlockRange[]> {
    const [covered, heads] = await Promise.all([coverage.find(of), coverage.findHeads(of)])
    const begun = await beginWith(of, { covered, heads }, head, present)
    if (begun.heads[0] !== heads[0] && !begun.isStored) await coverage.setHeads(db, of, begun.heads)
    return begun.covered
  }

  /** Heads are stored with the results, unless `isStored`. */
  async function beginWith(
    of: WalletOnChain,
    { covered, heads }: SearchedBefore,
    head: SeenBlock,
    present: PresentChain,
  ): Promise<SearchedBefore & { isStored: boolean }> {
    const top = await trustedTop({ covered, heads }, head, present)
    const newest = covered.at(-1)
    const isWhole = !newest || newest.toBlock <= top
    const newer = head.block > top ? [head] : []
    const older = heads.filter(({ block }) => block <= top)
    const kept = [...newer, ...older].slice(0, MOST_HEADS)
    const isStored = older.length < heads.length || !isWhole
    if (isStored) await forgetReplaced(of, kept, isWhole ? null : top)
    return { covered: rangesUpTo(covered, top), heads: kept, isStored }
  }

  async function forgetReplaced(of: WalletOnChain, kept: readonly SeenBlock[], above: bigint | null): Promise<void> {
    if (above === null) return coverage.setHeads(db, of, kept)
    await db.transaction().execute(async (trx) => {
      await coverage.lock(trx, of)
      await coverage.forget(trx, of, above + 1n)
      await forgetFound?.(trx, of, above + 1n)
      await coverage.setHeads(trx, of, kept)
    })
  }

  return { begin, beginWith }
}

/** Newest stored head on the present chain. If no head contradicts it, the block final at the last search. */
async function trustedTop({ covered, heads }: SearchedBefore, head: SeenBlock, present: PresentChain): Promise<bigint> {
  let isReplaced = false
  for (const { block, hash } of heads) {
    const now = block === head.block ? head.hash : await present.hashAt(block)
    if (now === hash) return block
    isReplaced ||= now !== null
  }
  return isReplaced ? -1n : (covered.at(-1)?.toBlock ?? -1n) - present.finality
}
