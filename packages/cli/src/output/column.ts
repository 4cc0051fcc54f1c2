import { visibleText } from './visible-text.ts'

/** A column of a list of rows. */
export type Column<R> = {
  name: string
  kind: 'text' | 'figure'
  /** All of it, as CSV has it. */
  read(row: R): string
  /** What a table shows, where that is less. */
  brief?(row: R): string
  /** `csv`: in no table. A number: left out of tables that do not fit, the highest first. */
  spare?: 'csv' | number
  /** A text that says nothing when it is cut, as an address. */
  isWhole?: true
}

/** What a row has in a column, as text that steers no terminal. */
export function cellsOf<R>({ read, brief = read }: Column<R>, row: R): { exact: string; shown: string } {
  return { exact: visibleText(read(row)), shown: visibleText(brief(row)) }
}

type Further<R> = Omit<Column<R>, 'name' | 'kind' | 'read' | 'brief'>

export const textColumn = <R>(
  name: string,
  read: (row: R) => string,
  further: Further<R> & { brief?(row: R): string } = {},
) => ({ name, kind: 'text', read, ...further }) satisfies Column<R>

/** `round`: how a table shows the figure. */
export const figureColumn = <R>(
  name: string,
  read: (row: R) => string,
  round: (figure: string) => string = (figure) => figure,
  further: Further<R> = {},
) => ({ name, kind: 'figure', read, brief: (row: R) => round(read(row)), ...further }) satisfies Column<R>
