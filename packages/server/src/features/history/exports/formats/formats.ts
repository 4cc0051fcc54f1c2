import type { Transaction, TransactionAsset, TransactionFormat } from '@coffer/contract'
import { presentTransaction, type ShownTransaction } from '../../transactions/present-transaction.ts'
import { BOM, type Column, figure, headerOf, leftOutLine, linesOf, type Missing, text } from '../csv.ts'
import { importRows, isStated } from '../import-rows.ts'
import { type ImportFormat, importFormats } from './import-formats.ts'
import { journalColumns, journalOf } from './quickbooks.ts'

/** null: the transaction moved nothing. */
type MovementLine = { transaction: Transaction; asset: TransactionAsset | null }

const UNKNOWN = 'N/A'

function movementLines(transaction: Transaction): MovementLine[] {
  const { assetsOut, assetsIn, nativeAssetFees: gas } = transaction
  const assets = [...assetsOut, ...assetsIn, ...(gas.balance === '0' ? [] : [gas])]
  return assets.length > 0 ? assets.map((asset) => ({ transaction, asset })) : [{ transaction, asset: null }]
}

const ofAsset = (column: typeof text, name: string, read: (asset: TransactionAsset) => string) =>
  column<MovementLine>(name, ({ asset }) => (asset ? read(asset) : ''))

/** Gas is an expense at its price. */
const ofCost = (name: string, read: (asset: TransactionAsset) => string) =>
  ofAsset(figure, name, (asset) => (asset.isNativeAssetFees ? '' : read(asset)))

const orUnknown = (asset: TransactionAsset, value: string) => (asset.priceSource === null ? UNKNOWN : value)

function directionOf({ isNativeAssetFees, isAssetIn }: TransactionAsset): string {
  if (isNativeAssetFees) return 'fee'
  return isAssetIn ? 'in' : 'out'
}

function missingIn(asset: TransactionAsset): string {
  const missing = [
    ...(asset.decimal === UNKNOWN ? ['decimals'] : []),
    ...(asset.priceSource === null ? ['price'] : []),
    ...(asset.costBasis === UNKNOWN && !asset.isNativeAssetFees ? ['cost'] : []),
    ...(asset.closedPnl === UNKNOWN && !asset.isNativeAssetFees ? ['pnl'] : []),
  ]
  return missing.join(' ')
}

/** Figures have all digits, as in the API. */
const ownColumns: readonly Column<MovementLine>[] = [
  text('wallet', ({ transaction }) => transaction.address),
  text('chain', ({ transaction }) => transaction.chain.key),
  figure('block', ({ transaction }) => transaction.blockNumber),
  text('time', ({ transaction }) => new Date(Number(transaction.timestamp) * 1_000).toISOString()),
  text('hash', ({ transaction }) => transaction.hash),
  text('status', ({ transaction }) => transaction.confirmed),
  text('type', ({ transaction }) => transaction.type),
  text('protocol', ({ transaction: { protocol } }) => (isStated(protocol) ? 'unknown' : protocol.key)),
  text('function', ({ transaction }) => transaction.functionName),
  text('from', ({ transaction }) => transaction.from),
  text('to', ({ transaction }) => transaction.to),
  figure('closed_pnl_usd', ({ transaction }) => transaction.closedPnl),
  ofAsset(text, 'direction', directionOf),
  ofAsset(figure, 'amount', ({ balance }) => balance),
  ofAsset(text, 'symbol', ({ symbol }) => symbol),
  ofAsset(text, 'name', ({ name }) => name),
  ofAsset(text, 'contract', ({ contract }) => contract),
  ofAsset(figure, 'token_id', ({ nft }) => nft?.tokenId ?? ''),
  ofAsset(text, 'counterparty', ({ isAssetIn, from, to }) => (isAssetIn ? from : to)),
  ofAsset(figure, 'price_usd', (asset) => orUnknown(asset, asset.price)),
  ofAsset(text, 'price_source', ({ priceSource }) => priceSource ?? ''),
  ofAsset(figure, 'value_usd', (asset) => orUnknown(asset, asset.value)),
  ofCost('cost_basis_usd', ({ costBasis }) => costBasis),
  ofCost('movement_closed_pnl_usd', ({ closedPnl }) => closedPnl),
  ofAsset(text, 'missing', missingIn),
]

type CsvFormat = { header: string; linesOf(shown: ShownTransaction): string; leftOutLine?(missing: Missing): string }

export function csvFormatOf(format: Exclude<TransactionFormat, 'JSONL'>): CsvFormat {
  if (format === 'QUICKBOOKS') return table(journalColumns, (shown) => journalOf(importRows(shown)))
  if (format !== 'COFFER') {
    const { columns, split = (row) => [row] }: ImportFormat = importFormats[format]
    return table(columns, (shown) => importRows(shown).flatMap(split))
  }
  const { header, linesOf } = table(ownColumns, (shown) => movementLines(presentTransaction(shown)))
  return { header: BOM + header, linesOf, leftOutLine: (missing) => leftOutLine(ownColumns, missing) }
}

const table = <L>(columns: readonly Column<L>[], read: (shown: ShownTransaction) => readonly L[]): CsvFormat => ({
  header: headerOf(columns),
  linesOf: (shown) => linesOf(columns, read(shown)),
})
