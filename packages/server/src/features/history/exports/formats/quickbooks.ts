import { type Decimal, decimal, ZERO } from '../../../../domain/decimal.ts'
import { type Column, figure, text } from '../csv.ts'
import { type ImportRow, type RowPart, splitFee } from '../import-rows.ts'
import { americanDay } from '../times.ts'

/** USD, in cents. */
type JournalLine = {
  number: string
  time: number
  account: string
  debit: string
  credit: string
  description: string
}

/** Contra accounts. Gains are not booked: they need lots. */
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
/** QuickBooks' limit. */
const NUMBER_CHARS = 21

/** The contra account takes the rest of rounding. Only the description has unpriced assets. */
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
