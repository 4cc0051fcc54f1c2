import { empty, figure, text } from '../csv.ts'
import { splitFee } from '../import-rows.ts'
import { americanTime, germanTime, isoTime } from '../times.ts'
import {
  account,
  accountOf,
  amount,
  asset,
  group,
  hash,
  type ImportFormat,
  kind,
  note,
  time,
  worthOf,
} from './format.ts'

// Columns follow the programs' templates. docs/exports.md lists sources and open points.

export const koinly: ImportFormat = {
  columns: [
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
  ],
}

/** CoinTracking deducts fees from the amount given; separate lines keep amounts unchanged. */
export const coinTracking: ImportFormat = {
  columns: [
    kind('Type', {
      trade: 'Trade',
      exchange: 'Swap (non taxable)',
      deposit: 'Deposit',
      withdrawal: 'Withdrawal',
      reward: 'Reward / Bonus',
      airdrop: 'Airdrop',
      expense: 'Spend',
      donation: 'Donation',
      fee: 'Other Fee',
    }),
    ...[amount('Buy Amount', 'received'), asset('Buy Currency', 'received')],
    ...[amount('Sell Amount', 'sent'), asset('Sell Currency', 'sent')],
    ...[empty('Fee'), empty('Fee Currency')],
    ...[account('Exchange'), group('Trade-Group'), note('Comment')],
    ...[time('Date', isoTime), hash('Tx-ID')],
  ],
  split: splitFee,
}

const TRACKER_TAGS: Readonly<Record<string, string>> = { STAKE: 'stake', UNSTAKE: 'unstake' }

export const coinTracker: ImportFormat = {
  columns: [
    time('Date', americanTime),
    ...[amount('Received Quantity', 'received'), asset('Received Currency', 'received')],
    ...[amount('Sent Quantity', 'sent'), asset('Sent Currency', 'sent')],
    ...[amount('Fee Amount', 'fee'), asset('Fee Currency', 'fee')],
    text('Tag', ({ kind, type }) => {
      if (kind === 'reward') return 'staking'
      if (kind === 'airdrop' || kind === 'donation') return kind
      return kind === 'exchange' ? (TRACKER_TAGS[type] ?? '') : ''
    }),
  ],
}

export const coinLedger: ImportFormat = {
  columns: [
    ...[time('Date (UTC)', americanTime), account('Platform (Optional)')],
    ...[asset('Asset Sent', 'sent'), amount('Amount Sent', 'sent')],
    ...[asset('Asset Received', 'received'), amount('Amount Received', 'received')],
    ...[asset('Fee Currency (Optional)', 'fee'), amount('Fee Amount (Optional)', 'fee')],
    kind('Type', {
      trade: 'Trade',
      exchange: 'Trade',
      deposit: 'Deposit',
      withdrawal: 'Withdrawal',
      fee: 'Withdrawal',
      reward: 'Income',
      airdrop: 'Airdrop',
      expense: 'Merchant Payment',
      donation: 'Gift Sent',
    }),
    ...[note('Description (Optional)'), hash('TxHash (Optional)')],
  ],
}

export const zenLedger: ImportFormat = {
  columns: [
    time('Timestamp', isoTime),
    kind('Type', {
      trade: 'trade',
      exchange: 'trade',
      deposit: 'receive',
      withdrawal: 'send',
      fee: 'fee',
      reward: 'misc reward',
      airdrop: 'airdrop',
      expense: 'payment',
      donation: 'send',
    }),
    ...[amount('IN Amount', 'received'), asset('IN Currency', 'received')],
    ...[amount('Out Amount', 'sent'), asset('Out Currency', 'sent')],
    ...[amount('Fee Amount', 'fee'), asset('Fee Currency', 'fee')],
    ...[account('Exchange(optional)'), empty('US Based')],
  ],
}

export const tokenTax: ImportFormat = {
  columns: [
    kind('Type', {
      trade: 'Trade',
      exchange: 'Trade',
      deposit: 'Deposit',
      withdrawal: 'Withdrawal',
      fee: 'Spend',
      reward: 'Income',
      airdrop: 'Income',
      expense: 'Spend',
      donation: 'Gift',
    }),
    ...[amount('BuyAmount', 'received'), asset('BuyCurrency', 'received')],
    ...[amount('SellAmount', 'sent'), asset('SellCurrency', 'sent')],
    ...[amount('FeeAmount', 'fee'), asset('FeeCurrency', 'fee')],
    ...[account('Exchange'), group('Group'), note('Comment'), time('Date', americanTime)],
  ],
}

/** Advanced template of Summ, formerly Crypto Tax Calculator. A trade's base is the asset given. */
export const summ: ImportFormat = {
  columns: [
    time('Timestamp (UTC)', isoTime),
    kind('Type', {
      trade: 'sell',
      exchange: 'sell',
      deposit: 'receive',
      withdrawal: 'send',
      fee: 'fee',
      reward: 'income',
      airdrop: 'airdrop',
      expense: 'expense',
      donation: 'send',
    }),
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
  ],
}

export const taxBit: ImportFormat = {
  columns: [
    time('Date and Time', (at) => new Date(at * 1_000).toISOString()),
    kind('Transaction Type', {
      trade: 'Trade',
      exchange: 'Trade',
      deposit: 'Transfer In',
      withdrawal: 'Transfer Out',
      fee: 'Expense',
      reward: 'Income',
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
  ],
}

/** Blockpit took over Accointing. */
export const blockpit: ImportFormat = {
  columns: [
    ...[time('Date (UTC)', germanTime), account('Integration Name')],
    kind('Label', {
      trade: 'Trade',
      exchange: 'Trade',
      deposit: 'Deposit',
      withdrawal: 'Withdrawal',
      fee: 'Fee',
      reward: 'Staking',
      airdrop: 'Airdrop',
      expense: 'Payment',
      donation: 'Donation',
    }),
    ...[asset('Outgoing Asset', 'sent'), amount('Outgoing Amount', 'sent')],
    ...[asset('Incoming Asset', 'received'), amount('Incoming Amount', 'received')],
    ...[asset('Fee Asset (optional)', 'fee'), amount('Fee Amount (optional)', 'fee')],
    ...[note('Comment (optional)'), hash('Trx. ID (optional)')],
  ],
}
