import { type Decimal, decimal, ZERO } from '../../../../domain/decimal.ts'
import { type Column, figure, text } from '../csv.ts'
import { type ImportRow, type RowPart, splitFee } from '../import-rows.ts'
import { americanDay } from '../times.ts'

/** A line of a journal, in USD and cents: of debit and credit one is empty. */
type JournalLine = {
  number: string
  time: number
  account: string
  debit: string
  credit: string
  description: string
}

/** What a line is booked against. Gains are no business of it: they need lots. */
const AGAINST: Readonly<Record<ImportRow['kind'], string>> = {
  trade: 'Crypto clearing',
  exchange: 'Crypto clearing',
  deposit: 'Crypto clearing',
  withdrawal: 'Crypto clearing',
  reward: 'Crypto income',
  airdrop: 'Crypto income',
  expense: 'Crypto expenses',
  donation: 'Crypto donations',
  fee: 'Crypto network fees',
}

const CENTS = 2
/** Journal numbers that QuickBooks takes have so many characters at most. */
const NUMBER_CHARS = 21

/**
 * A journal of a transaction, at the prices of its time. Each line is rounded to cents, and what is left is booked against the
 * account of its kind, so that debits and credits of a number are equal. What has no price is named, and not booked.
 */
export const journalOf = (rows: readonly ImportRow[]): JournalLine[] => rows.flatMap(splitFee).flatMap(entryOf)

function entryOf(row: ImportRow): JournalLine[] {
  const { time, hash, kind, sent, received, note } = row
  const base = { number: hash.slice(0, NUMBER_CHARS), time }
  const [given, got] = [centsOf(sent), centsOf(received)]
  const missing = [sent, received].flatMap((part) => (part && part.worth === null ? [unpriced(part)] : []))
  const description = [note, ...missing].filter(Boolean).join('; ')
  const line = (account: string, debit: Decimal, credit: Decimal) => ({
    ...base,
    account,
    description,
    debit: shown(debit),
    credit: shown(credit),
  })
  const rest = given.minus(got)
  const lines = [
    ...(received ? [line(assetAccount(received), got, ZERO)] : []),
    ...(sent ? [line(assetAccount(sent), ZERO, given)] : []),
    rest.gt(ZERO) ? line(AGAINST[kind], rest, ZERO) : line(AGAINST[kind], ZERO, rest.times(decimal('-1'))),
  ]
  const booked = lines.filter(({ debit, credit }) => debit !== '' || credit !== '')
  // A line of nothing still names what has no price.
  const isNamed = booked.length > 0 || missing.length === 0
  return isNamed ? booked : [{ ...line(AGAINST[kind], ZERO, ZERO), debit: ZERO.toFixed(CENTS) }]
}

const assetAccount = ({ asset }: RowPart) => `Crypto assets:${asset.replaceAll(':', '-')}`
const unpriced = ({ amount, asset }: RowPart) => `not booked: ${amount} ${asset}, which has no price`
const centsOf = (part: RowPart | null): Decimal => decimal(part?.worth ?? '0').round(CENTS)
const shown = (value: Decimal) => (value.eq(ZERO) ? '' : value.toFixed(CENTS))

export const journalColumns: readonly Column<JournalLine>[] = [
  text('Journal No.', ({ number }) => number),
  text('Journal Date', ({ time }) => americanDay(time)),
  text('Account Name', ({ account }) => account),
  figure('Debits', ({ debit }) => debit),
  figure('Credits', ({ credit }) => credit),
  text('Description', ({ description }) => description),
]
