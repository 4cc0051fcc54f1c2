import { searchBack } from '../../../domain/search-back.ts'
import type { FinalBlock } from './final-block.ts'
import type { MissingBlocks, Scan, ScanStore } from './scan-store.ts'

/** Searches blocks for validators and stores the results; may leave older blocks for a later call. */
export type SearchBlocks = (missing: MissingBlocks) => Promise<void>

/**
 * Searches the missing blocks of a scan, newest first, each piece once for all validators that miss it. Each piece is
 * stored, so the next run resumes here. Ends early on abort; rejects with `UpstreamError` when a node fails.
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
    /** The first block that can have results; called in each run until that block is final. */
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
  const findMissing = () => (signal.aborted ? [] : scan.missing(whole))
  for await (const { piece } of searchBack(findMissing, { first: pieceBlocks, largest: pieceBlocks }))
    await search(piece)
}
