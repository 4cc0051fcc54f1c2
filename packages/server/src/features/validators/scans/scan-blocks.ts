import { searchBack } from '../../../domain/search-back.ts'
import type { FinalBlock } from './final-block.ts'
import type { MissingBlocks, Scan, ScanStore } from './scan-store.ts'

/** May leave older blocks for a later call. */
export type SearchBlocks = (missing: MissingBlocks) => Promise<void>

/** Each piece is stored, so the next run resumes. Ends early on abort; rejects with `UpstreamError`. */
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
