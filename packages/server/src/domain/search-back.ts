import type { BlockRange } from './block-ranges.ts'

/** Blocks. Pieces double, so that the newest results arrive soon. */
const FIRST_PIECE = 50_000n
const LARGEST_PIECE = 5_000_000n

type PieceSizes = { first?: bigint; largest?: bigint; most?: number }

/** Newest first, as `findMissing` returns the blocks still to search. */
export async function* searchBack<R extends BlockRange>(
  findMissing: () => readonly R[] | Promise<readonly R[]>,
  { first = FIRST_PIECE, largest = LARGEST_PIECE, most = Number.POSITIVE_INFINITY }: PieceSizes = {},
): AsyncGenerator<{ piece: R; missing: readonly R[] }, void, undefined> {
  for (let [size, pieces] = [first, 0]; pieces < most; pieces += 1) {
    const missing = await findMissing()
    const [newest] = missing
    if (!newest) return
    const from = newest.toBlock - size + 1n
    yield { piece: from > newest.fromBlock ? { ...newest, fromBlock: from } : newest, missing }
    size = size * 2n < largest ? size * 2n : largest
  }
}
