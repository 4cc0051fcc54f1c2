/** In units of the whole's width and height. */
type Tile = { index: number; x: number; y: number; width: number; height: number }

type Sized = { index: number; area: number }
type Box = { x: number; y: number; width: number; height: number }

/**
 * Squarified treemap (Bruls, Huizing, van Wijk 2000): tile areas are the shares of `width` × `height`, as square as
 * possible. Zero shares have no tile.
 */
export function layOutTiles(shares: readonly number[], width: number, height: number): Tile[] {
  const sized = shares
    .map((share, index) => ({ index, area: share * width * height }))
    .filter(({ area }) => area > 0)
    .sort((a, b) => b.area - a.area)
  const tiles: Tile[] = []
  let rest: Box = { x: 0, y: 0, width, height }
  let row: Sized[] = []
  for (const next of sized) {
    const side = Math.min(rest.width, rest.height)
    if (row.length > 0 && worst([...row, next], side) > worst(row, side)) {
      rest = placeRow(row, rest, tiles)
      row = []
    }
    row.push(next)
  }
  placeRow(row, rest, tiles)
  return tiles
}

const areaOf = (row: readonly Sized[]): number => row.reduce((sum, { area }) => sum + area, 0)

/** Returns the worst aspect ratio of a row's tiles, if laid along `side`. */
function worst(row: readonly Sized[], side: number): number {
  const depth = areaOf(row) / side
  return Math.max(...row.map(({ area }) => Math.max(depth / (area / depth), area / depth / depth)))
}

/** Places a row along the shorter side and returns the rest of the box. */
function placeRow(row: readonly Sized[], box: Box, tiles: Tile[]): Box {
  if (row.length === 0) return box
  const isWide = box.width >= box.height
  const depth = areaOf(row) / (isWide ? box.height : box.width)
  let at = isWide ? box.y : box.x
  for (const { index, area } of row) {
    const length = area / depth
    tiles.push(
      isWide
        ? { index, x: box.x, y: at, width: depth, height: length }
        : { index, x: at, y: box.y, width: length, height: depth },
    )
    at += length
  }
  return isWide
    ? { ...box, x: box.x + depth, width: box.width - depth }
    : { ...box, y: box.y + depth, height: box.height - depth }
}
