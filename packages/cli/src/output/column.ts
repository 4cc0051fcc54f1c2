import { visibleText } from './visible-text.ts'

export type Column<R> = {
  name: string
  kind: 'text' | 'figure'
  /** Full text, for CSV. */
  read(row: R): string
  /** Shorter text for tables. */
  brief?(row: R): string
  /** `csv`: in no table. A number: dropped from tables that do not fit, the highest first. */
  spare?: 'csv' | number
  /** Never cut, e.g. an address. */
  isWhole?: true
}

/** Escapes text that could steer a terminal. */
export function cellsOf<R>({ read, brief = read }: Column<R>, row: R): { exact: string; shown: string } {
  return { exact: visibleText(read(row)), shown: visibleText(brief(row)) }
}

type Further<R> = Omit<Column<R>, 'name' | 'kind' | 'read' | 'brief'>

export const textColumn = <R>(
  name: string,
  read: (row: R) => string,
  further: Further<R> & { brief?(row: R): string } = {},
) => ({ name, kind: 'text', read, ...further }) satisfies Column<R>

/** `round`: how tables show the figure. */
export const figureColumn = <R>(
  name: string,
  read: (row: R) => string,
  round: (figure: string) => string = (figure) => figure,
  further: Further<R> = {},
) => ({ name, kind: 'figure', read, brief: (row: R) => round(read(row)), ...further }) satisfies Column<R>
