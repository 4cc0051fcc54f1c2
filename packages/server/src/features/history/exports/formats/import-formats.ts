import { type Column, empty, figure, text } from '../csv.ts'
import { type ImportRow, type RowKind, splitFee } from '../import-rows.ts'
import { americanTime, germanTime, isoTime } from '../times.ts'

type Columns = readonly Column<ImportRow>[]

type Side = 'sent' | 'received' | 'fee'

const amount = (name: string, side: Side) => figure(name, (row: ImportRow) => row[side]?.amount ?? '')
const asset = (name: string, side: Side) => text(name, (row: ImportRow) => row[side]?.asset ?? '')
const kind = (name: string, names: Readonly<Record<RowKind, string>>) => text(name, (row: ImportRow) => names[row.kind])
const time = (name: string, spell: (time: number) => string) => text(name, (row: ImportRow) => spell(row.time))
const hash = (name: string) => text(name, (row: ImportRow) => row.hash)
const group = (name: string) => text(name, (row: ImportRow) => row.group)
const note = (name: string) => text(name, (row: ImportRow) => row.note)
const account = (name: string) => text(name, accountOf)
const accountOf = ({ chain, wallet }: ImportRow): string => `${chain}:${wallet}`

const worthOf = ({ sent, received }: ImportRow): string | null => received?.worth ?? sent?.worth ?? null

const TITLES = {
  trade: 'Trade',
  exchange: 'Trade',
  deposit: 'Deposit',
  withdrawal: 'Withdrawal',
  fee: 'Withdrawal',
  reward: 'Income',
  airdrop: 'Airdrop',
  expense: 'Spend',
  donation: 'Donation',
}

const WORDS = {
  trade: 'trade',
  exchange: 'trade',
  deposit: 'receive',
  withdrawal: 'send',
  fee: 'fee',
  reward: 'income',
  airdrop: 'airdrop',
  expense: 'expense',
  donation: 'send',
}

// docs/exports.md lists sources and open points.

const koinly: Columns = [
  time('Date', (at) => `${isoTime(at)} UTC`),
  ...[amount('Sent Amount', 'sent'), asset('Sent Currency', 'sent')],
  ...[amount('Received Amount', 'received'), asset('Received Currency', 'received')],
  ...[amount('Fee Amount', 'fee'), asset('Fee Currency', 'fee')],
  figure('Net Worth Amount', (row) => worthOf(row) ?? ''),
  text('Net Worth Currency', (row) => (worthOf(row) === null ? '' : 'USD')),
  kind('Label', {
    trade: '',
    exchange: 'swap',
    deposit: '',
    withdrawal: '',
    fee: 'cost',
    reward: 'reward',
    airdrop: 'airdrop',
    expense: 'cost',
    donation: 'donation',
  }),
  ...[note('Description'), hash('TxHash')],
]

/** CoinTracking deducts fees from the amount given; separate lines keep amounts unchanged. */
const coinTracking: Columns = [
  kind('Type', { ...TITLES, exchange: 'Swap (non taxable)', reward: 'Reward / Bonus', fee: 'Other Fee' }),
  ...[amount('Buy Amount', 'received'), asset('Buy Currency', 'received')],
  ...[amount('Sell Amount', 'sent'), asset('Sell Currency', 'sent')],
  ...[empty('Fee'), empty('Fee Currency')],
  ...[account('Exchange'), group('Trade-Group'), note('Comment')],
  ...[time('Date', isoTime), hash('Tx-ID')],
]

const TRACKER_TAGS: Readonly<Record<string, string>> = { STAKE: 'stake', UNSTAKE: 'unstake' }

const coinTracker: Columns = [
  time('Date', americanTime),
  ...[amount('Received Quantity', 'received'), asset('Received Currency', 'received')],
  ...[amount('Sent Quantity', 'sent'), asset('Sent Currency', 'sent')],
  ...[amount('Fee Amount', 'fee'), asset('Fee Currency', 'fee')],
  text('Tag', ({ kind, type }) => {
    if (kind === 'reward') return 'staking'
    if (kind === 'airdrop' || kind === 'donation') return kind
    return kind === 'exchange' ? (TRACKER_TAGS[type] ?? '') : ''
  }),
]

const coinLedger: Columns = [
  ...[time('Date (UTC)', americanTime), account('Platform (Optional)')],
  ...[asset('Asset Sent', 'sent'), amount('Amount Sent', 'sent')],
  ...[asset('Asset Received', 'received'), amount('Amount Received', 'received')],
  ...[asset('Fee Currency (Optional)', 'fee'), amount('Fee Amount (Optional)', 'fee')],
  kind('Type', { ...TITLES, expense: 'Merchant Payment', donation: 'Gift Sent' }),
  ...[note('Description (Optional)'), hash('TxHash (Optional)')],
]

const zenLedger: Columns = [
  time('Timestamp', isoTime),
  kind('Type', { ...WORDS, reward: 'misc reward', expense: 'payment' }),
  ...[amount('IN Amount', 'received'), asset('IN Currency', 'received')],
  ...[amount('Out Amount', 'sent'), asset('Out Currency', 'sent')],
  ...[amount('Fee Amount', 'fee'), asset('Fee Currency', 'fee')],
  ...[account('Exchange(optional)'), empty('US Based')],
]

const tokenTax: Columns = [
  kind('Type', { ...TITLES, fee: 'Spend', airdrop: 'Income', donation: 'Gift' }),
  ...[amount('BuyAmount', 'received'), asset('BuyCurrency', 'received')],
  ...[amount('SellAmount', 'sent'), asset('SellCurrency', 'sent')],
  ...[amount('FeeAmount', 'fee'), asset('FeeCurrency', 'fee')],
  ...[account('Exchange'), group('Group'), note('Comment'), time('Date', americanTime)],
]

/** Advanced template; formerly Crypto Tax Calculator. A trade's base is the asset given. */
const summ: Columns = [
  time('Timestamp (UTC)', isoTime),
  kind('Type', { ...WORDS, trade: 'sell', exchange: 'sell' }),
  text('Base Currency', ({ sent, received }) => (sent ?? received)?.asset ?? ''),
  figure('Base Amount', ({ sent, received }) => (sent ?? received)?.amount ?? ''),
  text('Quote Currency (Optional)', ({ sent, received }) => (sent && received?.asset) || ''),
  figure('Quote Amount (Optional)', ({ sent, received }) => (sent && received?.amount) || ''),
  ...[asset('Fee Currency (Optional)', 'fee'), amount('Fee Amount (Optional)', 'fee')],
  text('From (Optional)', (row) => (row.sent ? accountOf(row) : (row.received?.other ?? ''))),
  text('To (Optional)', (row) => (row.received ? accountOf(row) : (row.sent?.other ?? ''))),
  text('Blockchain (Optional)', ({ chain }) => chain),
  ...[hash('ID (Optional)'), note('Description (Optional)')],
  figure('Reference Price Per Unit (Optional)', ({ sent, received }) => (sent ?? received)?.price ?? ''),
  text('Reference Price Currency (Optional)', ({ sent, received }) => ((sent ?? received)?.price ? 'USD' : '')),
]

const taxBit: Columns = [
  time('Date and Time', (at) => new Date(at * 1_000).toISOString()),
  kind('Transaction Type', {
    ...TITLES,
    deposit: 'Transfer In',
    withdrawal: 'Transfer Out',
    fee: 'Expense',
    airdrop: 'Income',
    expense: 'Expense',
    donation: 'Gift Sent',
  }),
  ...[amount('Sent Quantity', 'sent'), asset('Sent Currency', 'sent')],
  text('Sending Source', (row) => (row.sent ? accountOf(row) : '')),
  ...[amount('Received Quantity', 'received'), asset('Received Currency', 'received')],
  text('Receiving Destination', (row) => (row.received ? accountOf(row) : '')),
  ...[amount('Fee', 'fee'), asset('Fee Currency', 'fee')],
  ...[group('Exchange Transaction ID'), hash('Blockchain Transaction Hash')],
]

/** Blockpit took over Accointing. */
const blockpit: Columns = [
  ...[time('Date (UTC)', germanTime), account('Integration Name')],
  kind('Label', { ...TITLES, fee: 'Fee', reward: 'Staking', expense: 'Payment' }),
  ...[asset('Outgoing Asset', 'sent'), amount('Outgoing Amount', 'sent')],
  ...[asset('Incoming Asset', 'received'), amount('Incoming Amount', 'received')],
  ...[asset('Fee Asset (optional)', 'fee'), amount('Fee Amount (optional)', 'fee')],
  ...[note('Comment (optional)'), hash('Trx. ID (optional)')],
]

/** Custom template. Rates would be in the workspace's currency, which is unknown. */
const cryptio: Columns = [
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
  ...[empty('incomingUnitRate'), empty('incomingTransactionValue')],
  ...[asset('outgoingAsset', 'sent'), amount('outgoingVolume', 'sent')],
  ...[empty('outgoingUnitRate'), empty('outgoingTransactionValue')],
  ...[asset('feeAsset', 'fee'), amount('feeVolume', 'fee')],
  ...[empty('feeUnitRate'), empty('feeTransactionValue')],
  text('otherParties', ({ sent, received }) => (sent ?? received)?.other ?? ''),
  note('note'),
]

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

/** One line per side. Lines of a trade leave `blockchainId` empty. */
const bitwave: Columns = [
  text('id', (row) => `${row.group}:${accountOf(row)}:${bitwaveType(row)}:${side(row)?.asset ?? ''}`),
  empty('remoteContactId'),
  figure('amount', (row) => side(row)?.amount ?? ''),
  text('amountTicker', (row) => side(row)?.asset ?? ''),
  figure('cost', (row) => side(row)?.worth ?? ''),
  text('costTicker', (row) => (side(row)?.worth ? 'USD' : '')),
  ...[empty('fee'), empty('feeTicker')],
  time('time', isoTime),
  text('blockchainId', (row) => (isPaired(row) ? '' : row.hash)),
  note('memo'),
  text('transactionType', bitwaveType),
  account('accountId'),
  ...[empty('contactId'), empty('categoryId'), empty('taxExempt')],
  text('tradeId', (row) => (isPaired(row) ? row.group : '')),
  note('description'),
  text('fromAddress', (row) => (row.sent ? row.wallet : (row.received?.other ?? ''))),
  text('toAddress', (row) => (row.sent ? row.sent.other : row.wallet)),
  text('groupId', ({ hash }) => hash),
]

export type ImportFormat = { columns: Columns; split?(row: ImportRow): ImportRow[] }

export const importFormats = {
  KOINLY: { columns: koinly },
  COINTRACKING: { columns: coinTracking, split: splitFee },
  COINTRACKER: { columns: coinTracker },
  COINLEDGER: { columns: coinLedger },
  ZENLEDGER: { columns: zenLedger },
  TOKENTAX: { columns: tokenTax },
  SUMM: { columns: summ },
  TAXBIT: { columns: taxBit },
  CRYPTIO: { columns: cryptio },
  BLOCKPIT: { columns: blockpit },
  BITWAVE: { columns: bitwave, split: splitSides },
} as const satisfies Record<string, ImportFormat>
