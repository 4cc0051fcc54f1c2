import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Host } from '../host.ts'
import { type Column, cellsOf } from './column.ts'
import { csvOf, csvRow } from './csv.ts'
import { tableOf } from './table.ts'
import { visibleJson, visibleLines } from './visible-text.ts'

export type Format = 'table' | 'json' | 'csv'

/** `json`: the service's answer, unchanged. */
export type Found<R> = {
  json: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  /** Rows of separate tables; one table of all rows unless given. */
  groups?: readonly { title: string; rows: readonly R[] }[]
  /** Text of a table without rows. */
  empty?: string
}

export type Output = ReturnType<typeof createOutput>

/** Prints answers to standard output and notes to standard error. */
export function createOutput({ stdout, stderr, columns: width }: Host, format: Format) {
  let isIncomplete = false
  let saidRounded = false

  const note = (text: string) => write(stderr, `${visibleLines(text)}\n`)

  async function printTable<R>(columns: readonly Column<R>[], rows: readonly R[]): Promise<void> {
    const { lines, isRounded, leftOut } = tableOf(columns, rows, width)
    await write(stdout, `${lines.join('\n')}\n`)
    if (leftOut.length > 0)
      await note(`The terminal is too narrow for these columns: ${leftOut.join(', ')}. --csv has them.`)
    if (isRounded && !saidRounded) {
      saidRounded = true
      await note('Figures in tables are rounded; --json and --csv have all digits.')
    }
  }

  async function printTables<R>({ columns, rows, groups = [{ title: '', rows }], empty }: Found<R>): Promise<void> {
    for (const { title, rows: own } of groups) {
      if (title !== '') await write(stdout, `${visibleLines(title)}\n`)
      if (own.length > 0) await printTable(columns, own)
      else if (empty !== undefined) await write(stdout, `${empty}\n`)
    }
  }

  return {
    format,
    note,
    /** Notes a missing or old part, which `--strict` makes a failure. */
    missing(text: string): Promise<void> {
      isIncomplete = true
      return note(text)
    },
    isIncomplete: () => isIncomplete,
    async print<R>(found: Found<R>): Promise<void> {
      if (format === 'json') await write(stdout, `${width === undefined ? found.json : visibleJson(found.json)}\n`)
      else if (format === 'csv') await write(stdout, csvOf(found.columns, found.rows))
      else await printTables(found)
    },
    /** Begins a list that is printed row by row. */
    async begin<R>(columns: readonly Column<R>[]): Promise<void> {
      if (format === 'csv') await write(stdout, csvOf(columns, []))
    },
    /** Prints a row as one line in every format, uncut also on a terminal. */
    async printLine<R>({ json, columns, row }: { json: string; columns: readonly Column<R>[]; row: R }): Promise<void> {
      if (format === 'json') await write(stdout, `${width === undefined ? json : visibleJson(json)}\n`)
      else if (format === 'csv') await write(stdout, csvRow(columns, row))
      else
        await write(
          stdout,
          `${columns
            .map((column) => cellsOf(column, row).shown)
            .join('  ')
            .trimEnd()}\n`,
        )
    },
  }
}

async function write(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain')
}
