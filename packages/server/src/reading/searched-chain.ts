import type { Kysely, Transaction } from 'kysely'
import type { Coverage } from '../db/coverage.ts'
import type { Tables } from '../db/tables.ts'
import { type BlockRange, rangesUpTo } from '../domain/block-ranges.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { PresentChain, SeenBlock } from '../kinds/seen-block.ts'

/** Heads kept per wallet, chain and purpose. A search goes back to an older one if a reorg replaced the newest. */
const MOST_HEADS = 8

/**
 * The blocks at which searches ended, with their hashes: coverage up to such a block holds while the chain has that
 * block. `forgetFound` deletes results from a block on.
 */
export function createSearchedChain(
  db: Kysely<Tables>,
  coverage: Coverage,
  forgetFound: (trx: Transaction<Tables>, of: WalletOnChain, fromBlock: bigint) => Promise<unknown> = async () =>
    undefined,
) {
  /**
   * Begins a search that ends at `head`: returns the coverage that holds on the present chain, and forgets the rest.
   * Coverage added later belongs to the chain of `head`.
   */
  async function begin(of: WalletOnChain, head: SeenBlock, present: PresentChain): Promise<BlockRange[]> {
    const [covered, heads] = await Promise.all([coverage.find(of), coverage.findHeads(of)])
    const top = await trustedTop({ covered, heads, head, present })
    const newest = covered.at(-1)
    const isWhole = !newest || newest.toBlock <= top
    const newer = head.block > top ? [head] : []
    const older = heads.filter(({ block }) => block <= top)
    if (newer.length > 0 || older.length < heads.length || !isWhole) {
      await remember(of, [...newer, ...older], isWhole ? null : top)
    }
    return rangesUpTo(covered, top)
  }

  async function remember(of: WalletOnChain, heads: readonly SeenBlock[], forgetAbove: bigint | null): Promise<void> {
    const kept = heads.slice(0, MOST_HEADS)
    if (forgetAbove === null) return coverage.setHeads(db, of, kept)
    await db.transaction().execute(async (trx) => {
      await coverage.lock(trx, of)
      await coverage.forget(trx, of, forgetAbove + 1n)
      await forgetFound(trx, of, forgetAbove + 1n)
      await coverage.setHeads(trx, of, kept)
    })
  }

  return { begin }
}

/**
 * The block up to which coverage holds on the present chain: the newest stored head that the chain still has. If no
 * head contradicts it, because none was stored or the chain is shorter, it is what was final when the last search
 * ended.
 */
async function trustedTop({
  covered,
  heads,
  head,
  present,
}: {
  covered: readonly BlockRange[]
  heads: readonly SeenBlock[]
  head: SeenBlock
  present: PresentChain
}): Promise<bigint> {
  let isReplaced = false
  for (const { block, hash } of heads) {
    const now = block === head.block ? head.hash : await present.hashAt(block)
    if (now === hash) return block
    isReplaced ||= now !== null
  }
  return isReplaced ? -1n : (covered.at(-1)?.toBlock ?? -1n) - present.finality
}
