import { type Column, cellsOf } from './column.ts'
import { isExact } from './figures.ts'
import { cutTo, widthOf } from './visible-text.ts'

const GAP = '  '
/** Narrower texts are unreadable. */
const NARROWEST = 8

export type Table = {
  lines: string[]
  isRounded: boolean
  /** Columns that did not fit, by name. */
  leftOut: string[]
}

/** Fits a header and rows into `width` terminal columns. */
export function tableOf<R>(columns: readonly Column<R>[], rows: readonly R[], width = Number.POSITIVE_INFINITY): Table {
  const shown = columns.filter(({ spare }) => spare !== 'csv')
  const filled = shown.map((column) => fill(column, rows))
  const leftOut: string[] = []
  while (leastOf(filled) > width) {
    const next = mostSpare(filled)
    if (!next) break
    leftOut.push(next.column.name)
    filled.splice(filled.indexOf(next), 1)
  }
  shrink(filled, width)
  const lines = [...Array(rows.length + 1).keys()].map((index) => lineOf(filled, index))
  return { lines, isRounded: filled.some(({ isRounded }) => isRounded), leftOut }
}

type Filled = { column: Column<never>; cells: string[]; width: number; isRounded: boolean }

function fill<R>(column: Column<R>, rows: readonly R[]): Filled {
  const cells = rows.map((row) => cellsOf(column, row))
  const texts = [column.name, ...cells.map(({ shown }) => shown)]
  return {
    column: column as Column<never>,
    cells: texts,
    width: Math.max(...texts.map(widthOf)),
    isRounded: cells.some(({ exact, shown }) => !isExact(exact, shown)),
  }
}

const gapsOf = (filled: readonly Filled[]) => GAP.length * Math.max(0, filled.length - 1)

const isCuttable = ({ column }: Filled) => column.kind === 'text' && !column.isWhole

/** Least width: figures and addresses are never cut. */
const leastOf = (filled: readonly Filled[]) =>
  filled.reduce((sum, one) => sum + (isCuttable(one) ? Math.min(one.width, NARROWEST) : one.width), 0) + gapsOf(filled)

function mostSpare(filled: readonly Filled[]): Filled | undefined {
  const spareOf = ({ column }: Filled) => (typeof column.spare === 'number' ? column.spare : 0)
  const [first] = filled.filter((one) => spareOf(one) > 0).toSorted((a, b) => spareOf(b) - spareOf(a))
  return first
}

/** Narrows the widest text until the line fits. */
function shrink(filled: readonly Filled[], width: number): void {
  const total = () => filled.reduce((sum, one) => sum + one.width, 0) + gapsOf(filled)
  while (total() > width) {
    const [widest] = filled
      .filter((one) => isCuttable(one) && one.width > NARROWEST)
      .toSorted((a, b) => b.width - a.width)
    if (!widest) return
    widest.width -= 1
  }
}

function lineOf(filled: readonly Filled[], index: number): string {
  const cells = filled.map(({ column, cells, width }) => {
    const text = cutTo(cells[index] ?? '', width)
    const space = ' '.repeat(Math.max(0, width - widthOf(text)))
    return column.kind === 'figure' ? space + text : text + space
  })
  return cells.join(GAP).trimEnd()
}
