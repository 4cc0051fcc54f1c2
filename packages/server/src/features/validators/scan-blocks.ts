import type { BlockRange } from '../../domain/block-ranges.ts'
import type { FinalBlock } from './final-block.ts'
import type { MissingBlocks, Scan, ScanStore } from './scan-store.ts'

/** Searches blocks for validators and stores what it finds; may leave the older ones of them for another time. */
export type SearchBlocks = (missing: MissingBlocks) => Promise<void>

/**
 * Searches all that was not searched yet for those whom the scan is for, newest first, one piece for everyone who misses it. What
 * was searched is stored piece by piece: whoever goes on begins where this ended. Ends early when the signal says so, and
 * rejects with `UpstreamError` when a node fails.
 */
export async function scanBlocks(
  {
    scan,
    final,
    findFirstBlock,
    pieceBlocks,
    search,
  }: {
    scan: ScanStore
    final: FinalBlock
    /** The first block that can have any; asked until it is final. */
    findFirstBlock(): Promise<bigint>
    pieceBlocks: bigint
    search: SearchBlocks
  },
  signal: AbortSignal,
): Promise<void> {
  const known = await scan.find()
  const isKnown = known !== undefined && known.firstBlock <= known.finalBlock
  const firstBlock = isKnown ? known.firstBlock : await findFirstBlock()
  const whole: Scan = { firstBlock, finalBlock: final.number, finalSlot: final.slot }
  await scan.begin(whole)
  while (!signal.aborted) {
    const [newest] = await scan.missing(whole)
    if (!newest) return
    await search({ ...newest, ...newestPart(newest, pieceBlocks) })
  }
}

function newestPart({ fromBlock, toBlock }: BlockRange, size: bigint): BlockRange {
  const from = toBlock - size + 1n
  return { fromBlock: from > fromBlock ? from : fromBlock, toBlock }
}
