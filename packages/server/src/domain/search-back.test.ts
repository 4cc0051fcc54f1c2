import { expect, test } from 'vitest'
import { type BlockRange, missingRanges } from './block-ranges.ts'
import { searchBack } from './search-back.ts'

const range = (fromBlock: number, toBlock: number): BlockRange => ({
  fromBlock: BigInt(fromBlock),
  toBlock: BigInt(toBlock),
})
const shown = ({ fromBlock, toBlock }: BlockRange) => `${fromBlock}-${toBlock}`

const sizeOf = (piece: string) => piece.split('-').reduce((from, to) => `${Number(to) - Number(from) + 1}`)

/** Searches a range with covered blocks. `covers`: covered part of a piece, all of it by default. */
async function piecesOf(
  whole: BlockRange,
  covered: readonly BlockRange[],
  sizes: Parameters<typeof searchBack>[1],
  covers = (piece: BlockRange): readonly BlockRange[] => [piece],
): Promise<string> {
  const done = [...covered]
  const pieces: string[] = []
  for await (const { piece } of searchBack(() => missingRanges(whole, done), sizes)) {
    pieces.push(shown(piece))
    done.push(...covers(piece))
  }
  return pieces.join(' ')
}

test('pieces go from the newest block to the first, each twice as large as the one before, up to the largest', async () => {
  expect(await piecesOf(range(0, 99), [], { first: 5n, largest: 30n })).toBe('95-99 85-94 65-84 35-64 5-34 0-4')
})

test('without sizes the first piece has 50,000 blocks and the largest 5,000,000', async () => {
  const pieces = (await piecesOf(range(0, 19_999_999), [], undefined)).split(' ')
  expect(pieces.map((piece) => sizeOf(piece))).toEqual([
    ...['50000', '100000', '200000', '400000', '800000', '1600000', '3200000'],
    ...['5000000', '5000000', '3650000'],
  ])
  expect(pieces.at(-1)).toBe('0-3649999')
})

test('the same size twice makes even pieces', async () => {
  expect(await piecesOf(range(1, 10), [], { first: 4n, largest: 4n })).toBe('7-10 3-6 1-2')
})

test('a search continues where covered blocks end; covered blocks are skipped, and no piece spans them', async () => {
  expect(await piecesOf(range(0, 40), [range(10, 19), range(31, 38)], { first: 4n, largest: 100n })).toBe(
    '39-40 23-30 20-22 0-9',
  )
  expect(await piecesOf(range(0, 40), [range(0, 40)], {})).toBe('')
})

test('what a piece did not cover is in the next one', async () => {
  const lowerHalf = ({ fromBlock, toBlock }: BlockRange) => [{ fromBlock, toBlock: (fromBlock + toBlock) / 2n }]
  expect(await piecesOf(range(0, 7), [], { first: 4n, largest: 8n }, lowerHalf)).toBe('4-7 6-7 7-7 0-3 2-3 3-3')
})

test('after the last of the pieces that are allowed nothing more is asked', async () => {
  let asked = 0
  const findMissing = () => {
    asked += 1
    return [range(0, 99)]
  }
  const pieces: string[] = []
  for await (const { piece } of searchBack(findMissing, { first: 1n, most: 3 })) pieces.push(shown(piece))
  expect(pieces).toEqual(['99-99', '98-99', '96-99'])
  expect(asked).toBe(3)
})

test('who ends the loop asks for nothing more, and what comes with a range comes with its piece', async () => {
  const missing = [
    { ...range(50, 99), validators: [1, 2] },
    { ...range(0, 9), validators: [2] },
  ]
  let asked = 0
  for await (const found of searchBack(
    async () => {
      asked += 1
      return missing
    },
    { first: 10n },
  )) {
    expect(found).toEqual({ piece: { ...range(90, 99), validators: [1, 2] }, missing })
    break
  }
  expect(asked).toBe(1)
})
