import { csvHeader, csvLine } from '@coffer/contract'
import { type Column, cellsOf } from './column.ts'

export const csvRow = <R>(columns: readonly Column<R>[], row: R): string =>
  csvLine(columns.map((column) => ({ kind: column.kind, value: cellsOf(column, row).exact })))

export const csvOf = <R>(columns: readonly Column<R>[], rows: readonly R[]): string =>
  csvHeader(columns.map(({ name }) => name)) + rows.map((row) => csvRow(columns, row)).join('')
