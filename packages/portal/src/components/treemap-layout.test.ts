import { expect, test } from 'vitest'
import { layOutTiles } from './treemap-layout.ts'

test('tiles of the paper: areas 6 6 4 3 2 2 1 in a box of 6 by 4', () => {
  const areas = [6, 6, 4, 3, 2, 2, 1]
  const tiles = layOutTiles(
    areas.map((area) => area / 24),
    6,
    4,
  )
  const round = (value: number) => Math.round(value * 100) / 100
  expect(tiles.map(({ x, y, width, height }) => [x, y, width, height].map(round))).toEqual([
    [0, 0, 3, 2],
    [0, 2, 3, 2],
    [3, 0, 1.71, 2.33],
    [4.71, 0, 1.29, 2.33],
    [3, 2.33, 1.2, 1.67],
    [4.2, 2.33, 1.2, 1.67],
    [5.4, 2.33, 0.6, 1.67],
  ])
})

test('what has no share has no tile', () => {
  expect(layOutTiles([0, 1, 0], 10, 5)).toEqual([{ index: 1, x: 0, y: 0, width: 10, height: 5 }])
  expect(layOutTiles([], 10, 5)).toEqual([])
})
