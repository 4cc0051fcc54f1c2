import type { TransactionFormat } from '@coffer/contract'
import { presentTransaction, type ShownTransaction } from '../../transactions/present-transaction.ts'
import { BOM, type Column, headerOf, leftOutLine, linesOf, type Missing } from '../csv.ts'
import { importRows } from '../import-rows.ts'
import { movementLines, ownColumns } from '../own-columns.ts'
import { bitwave, cryptio } from './accounting-formats.ts'
import type { ImportFormat } from './format.ts'
import { journalColumns, journalOf } from './quickbooks.ts'
import {
  blockpit,
  coinLedger,
  coinTracker,
  coinTracking,
  koinly,
  summ,
  taxBit,
  tokenTax,
  zenLedger,
} from './tax-formats.ts'

type CsvFormat = { header: string; linesOf(shown: ShownTransaction): string; leftOutLine?(missing: Missing): string }

function table<L>(columns: readonly Column<L>[], read: (shown: ShownTransaction) => readonly L[]): CsvFormat {
  return {
    header: headerOf(columns),
    linesOf: (shown) => linesOf(columns, read(shown)),
  }
}

const imported = ({ columns, split = (row) => [row] }: ImportFormat) =>
  table(columns, (shown) => importRows(shown).flatMap(split))

export const csvFormats: Readonly<Record<Exclude<TransactionFormat, 'JSONL'>, CsvFormat>> = {
  COFFER: {
    ...table(ownColumns, (shown) => movementLines(presentTransaction(shown))),
    header: BOM + headerOf(ownColumns),
    leftOutLine: (missing) => leftOutLine(ownColumns, missing),
  },
  KOINLY: imported(koinly),
  COINTRACKING: imported(coinTracking),
  COINTRACKER: imported(coinTracker),
  COINLEDGER: imported(coinLedger),
  ZENLEDGER: imported(zenLedger),
  TOKENTAX: imported(tokenTax),
  SUMM: imported(summ),
  TAXBIT: imported(taxBit),
  CRYPTIO: imported(cryptio),
  BLOCKPIT: imported(blockpit),
  BITWAVE: imported(bitwave),
  QUICKBOOKS: table(journalColumns, (shown) => journalOf(importRows(shown))),
}
