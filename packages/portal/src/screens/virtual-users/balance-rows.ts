import type { OwnBody } from '../../api/types.ts'
import { t } from '../../lib/i18n.ts'
import type { Balances } from './users.ts'

export type BalanceRow = { key: string; kind: 'token' | 'symbol'; subject: string; source: string; amount: string }
export type Cell = 'subject' | 'source' | 'amount'
export type RowProblems = Partial<Record<Cell, string>>
type Given = OwnBody<'POST', '/accounts/:account/virtual-users/:id/balances'>['balances'][number]

/** `subject` and `source` are chain and contract, or symbol and price source. */
export const toRows = (balances: Balances['balances']): BalanceRow[] =>
  balances.map((balance, at) =>
    'chain' in balance
      ? { key: `${at}`, kind: 'token', subject: balance.chain, source: balance.contract, amount: balance.amount }
      : { key: `${at}`, kind: 'symbol', subject: balance.symbol, source: balance.priceSource, amount: balance.amount },
  )

const spell = ({ kind, subject, source, amount }: BalanceRow): Given =>
  kind === 'token'
    ? { chain: subject.trim(), contract: source.trim(), amount: amount.trim() }
    : { symbol: subject.trim(), priceSource: source.trim(), amount: amount.trim() }

export const toGiven = (rows: readonly BalanceRow[]): Given[] => rows.map(spell)

/** The service takes up to 30 digits before the point and up to 18 after it. */
const AMOUNT = /^(0|[1-9]\d{0,29})(\.\d{1,18})?$/
const SYMBOL = /^[\w.$+-]{1,32}$/
const PRICE_SOURCE = /^(fx|(coingecko|defillama):\S+|fixed:\d+(\.\d{1,18})?)$/

export function problemsOf(row: BalanceRow): RowProblems {
  const { subject, source, amount } = toTrimmed(row)
  const subjectProblem =
    row.kind === 'token' ? missing(subject) : wrong(SYMBOL, subject, t('This symbol is not valid.'))
  const sourceProblem =
    row.kind === 'token'
      ? missing(source)
      : wrong(PRICE_SOURCE, source, t('Enter fx, coingecko:ID, defillama:ID or fixed:USD.'))
  return {
    ...(subjectProblem && { subject: subjectProblem }),
    ...(sourceProblem && { source: sourceProblem }),
    ...(!AMOUNT.test(amount) && { amount: amountProblem(amount) }),
  }
}

const toTrimmed = (row: BalanceRow) => ({
  subject: row.subject.trim(),
  source: row.source.trim(),
  amount: row.amount.trim(),
})

const missing = (text: string): string | null => (text === '' ? t('This field is required.') : null)
const wrong = (shape: RegExp, text: string, problem: string): string | null =>
  missing(text) ?? (shape.test(text) ? null : problem)

function amountProblem(amount: string): string {
  if (amount === '') return t('This field is required.')
  if (amount.includes(',')) return t('Use a point as the decimal separator, and no commas.')
  if (/^\d+\.\d{19,}$/.test(amount)) return t('At most 18 decimals.')
  return t('Enter an amount of 0 or more, in digits.')
}

const CELLS: Readonly<Record<string, Cell>> = {
  chain: 'subject',
  symbol: 'subject',
  contract: 'source',
  priceSource: 'source',
  amount: 'amount',
}

/**
 * Returns the cell of a refusal, e.g. `balances.2.contract: is not …`, with its row as digits; null if no cell is
 * concerned.
 */
export function cellOfRefusal(message: string): { row: string; cell: Cell; text: string } | null {
  const [, row, field = '', text = ''] = /balances\.(\d{1,3})(?:\.(\w+))?:? (.*)$/s.exec(message) ?? []
  return row === undefined ? null : { row, cell: CELLS[field] ?? 'subject', text }
}
