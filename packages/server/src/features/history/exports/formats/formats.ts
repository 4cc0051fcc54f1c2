import type { Transaction, TransactionAsset, TransactionFormat } from '@coffer/contract'
import { presentTransaction, type ShownTransaction } from '../../transactions/present-transaction.ts'
import { BOM, type Column, empty, figure, headerOf, leftOutLine, linesOf, type Missing, text } from '../csv.ts'
import { type ImportRow, importRows, isStated, splitFee } from '../import-rows.ts'
import { isoTime } from '../times.ts'
import { account, accountOf, amount, asset, hash, type ImportFormat, kind, note, time } from './format.ts'
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

/** null: the transaction moved nothing. */
type MovementLine = { transaction: Transaction; asset: TransactionAsset | null }

const UNKNOWN = 'N/A'

function movementLines(transaction: Transaction): MovementLine[] {
  const { assetsOut, assetsIn, nativeAssetFees: gas } = transaction
  const assets = [...assetsOut, ...assetsIn, ...(gas.balance === '0' ? [] : [gas])]
  return assets.length > 0 ? assets.map((asset) => ({ transaction, asset })) : [{ transaction, asset: null }]
}

const ofAsset = (read: (asset: TransactionAsset) => string) => (line: MovementLine) =>
  line.asset ? read(line.asset) : ''

/** Gas has no cost: it is an expense at its price. */
const ofCost = (read: (asset: TransactionAsset) => string) =>
  ofAsset((asset) => (asset.isNativeAssetFees ? '' : read(asset)))

const orUnknown = (asset: TransactionAsset, value: string) => (asset.priceSource === null ? UNKNOWN : value)

function directionOf({ isNativeAssetFees, isAssetIn }: TransactionAsset): string {
  if (isNativeAssetFees) return 'fee'
  return isAssetIn ? 'in' : 'out'
}

/** Without `decimals` the amount is in base units. */
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
  text('direction', ofAsset(directionOf)),
  figure(
    'amount',
    ofAsset(({ balance }) => balance),
  ),
  text(
    'symbol',
    ofAsset(({ symbol }) => symbol),
  ),
  text(
    'name',
    ofAsset(({ name }) => name),
  ),
  text(
    'contract',
    ofAsset(({ contract }) => contract),
  ),
  figure(
    'token_id',
    ofAsset(({ nft }) => nft?.tokenId ?? ''),
  ),
  text(
    'counterparty',
    ofAsset(({ isAssetIn, from, to }) => (isAssetIn ? from : to)),
  ),
  figure(
    'price_usd',
    ofAsset((asset) => orUnknown(asset, asset.price)),
  ),
  text(
    'price_source',
    ofAsset(({ priceSource }) => priceSource ?? ''),
  ),
  figure(
    'value_usd',
    ofAsset((asset) => orUnknown(asset, asset.value)),
  ),
  figure(
    'cost_basis_usd',
    ofCost(({ costBasis }) => costBasis),
  ),
  figure(
    'movement_closed_pnl_usd',
    ofCost(({ closedPnl }) => closedPnl),
  ),
  text('missing', ofAsset(missingIn)),
]

/** Custom template. Rates and values would be in the workspace's currency, which is unknown here. */
const cryptio: ImportFormat = {
  columns: [
    time('transactionDate', isoTime),
    kind('orderType', {
      trade: 'trade',
      exchange: 'trade',
      deposit: 'deposit',
      withdrawal: 'withdraw',
      fee: 'withdraw',
      reward: 'deposit',
      airdrop: 'deposit',
      expense: 'withdraw',
      donation: 'withdraw',
    }),
    hash('txhash'),
    ...[asset('incomingAsset', 'received'), amount('incomingVolume', 'received')],
    ...[empty<ImportRow>('incomingUnitRate'), empty<ImportRow>('incomingTransactionValue')],
    ...[asset('outgoingAsset', 'sent'), amount('outgoingVolume', 'sent')],
    ...[empty<ImportRow>('outgoingUnitRate'), empty<ImportRow>('outgoingTransactionValue')],
    ...[asset('feeAsset', 'fee'), amount('feeVolume', 'fee')],
    ...[empty<ImportRow>('feeUnitRate'), empty<ImportRow>('feeTransactionValue')],
    text('otherParties', ({ sent, received }) => (sent ?? received)?.other ?? ''),
    note('note'),
  ],
}

const isPaired = ({ kind }: ImportRow) => kind === 'trade' || kind === 'exchange'

const splitSides = (row: ImportRow): ImportRow[] =>
  splitFee(row).flatMap((line) =>
    isPaired(line)
      ? [
          { ...line, received: null },
          { ...line, sent: null },
        ]
      : [line],
  )

const bitwaveType = (row: ImportRow) => {
  if (isPaired(row)) return row.sent ? 'tradeDispose' : 'tradeAcquire'
  return row.sent ? 'withdrawal' : 'deposit'
}

const side = (row: ImportRow) => row.sent ?? row.received

/** Standard import, one line per side. Lines of a trade leave `blockchainId` empty. */
const bitwave: ImportFormat = {
  columns: [
    text('id', (row) => `${row.group}:${accountOf(row)}:${bitwaveType(row)}:${side(row)?.asset ?? ''}`),
    empty('remoteContactId'),
    { name: 'amount', kind: 'figure', read: (row) => side(row)?.amount ?? '' },
    text('amountTicker', (row) => side(row)?.asset ?? ''),
    { name: 'cost', kind: 'figure', read: (row) => side(row)?.worth ?? '' },
    text('costTicker', (row) => (side(row)?.worth ? 'USD' : '')),
    ...[empty<ImportRow>('fee'), empty<ImportRow>('feeTicker')],
    time('time', isoTime),
    text('blockchainId', (row) => (isPaired(row) ? '' : row.hash)),
    note('memo'),
    text('transactionType', bitwaveType),
    account('accountId'),
    ...[empty<ImportRow>('contactId'), empty<ImportRow>('categoryId'), empty<ImportRow>('taxExempt')],
    text('tradeId', (row) => (isPaired(row) ? row.group : '')),
    note('description'),
    text('fromAddress', (row) => (row.sent ? row.wallet : (row.received?.other ?? ''))),
    text('toAddress', (row) => (row.sent ? row.sent.other : row.wallet)),
    text('groupId', ({ hash }) => hash),
  ],
  split: splitSides,
}

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
