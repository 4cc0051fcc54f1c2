/** A line of a table: figures to the right of what they are of, in columns. */
export type Row = { name: string; balance: string; price: string; value: string } | 'line'

const NO_PRICE = 'no price'
/** Figures below stand to the right in so many characters. */
const TOTAL_WIDTH = 20

/** Rows in columns between lines, with a total below. */
export function table(rows: readonly Row[], total: { name: string; value: string }): string[] {
  const width = (pick: (row: Exclude<Row, 'line'>) => string) =>
    Math.max(...rows.map((row) => (row === 'line' ? 0 : [...pick(row)].length)))
  const widths = {
    name: width((row) => row.name),
    balance: width((row) => row.balance),
    price: width((row) => row.price),
    value: width((row) => row.value),
  }
  const whole = Math.max(widths.name + widths.balance + widths.price + widths.value + 6, 2 * TOTAL_WIDTH)
  const lines = [...rows, 'line' as const].map((row) =>
    row === 'line'
      ? '─'.repeat(whole)
      : [
          row.name.padEnd(widths.name),
          row.balance.padStart(widths.balance),
          row.price.padStart(widths.price),
          row.value.padStart(widths.value),
        ]
          .join('  ')
          .trimEnd(),
  )
  return [...lines, `${total.name.padEnd(whole - TOTAL_WIDTH)}${usd(total.value).padStart(TOTAL_WIDTH)}`]
}

export const heading = (name: string, value: string): Row => ({ name, balance: '', price: '', value: usd(value) })

type Asset = {
  symbol: string
  balance: string
  price: string
  value: string
  priceSource: string | null
  side?: string | undefined
}

/** An amount of a token with what it is worth, debts negative. */
export function assetRow(asset: Asset, indent: number, note = ''): Row {
  const priced = asset.priceSource !== null
  const sign = asset.side === 'borrow' && asset.value !== '0' ? '-' : ''
  return {
    name: `${' '.repeat(indent)}${asset.symbol}${note && ` (${note})`}`,
    balance: grouped(cut(asset.balance, 6)),
    price: priced ? `$${grouped(cut(asset.price, 4))}` : NO_PRICE,
    value: priced ? `${sign}${usd(asset.value)}` : '',
  }
}

/** Dollars and cents, rounded towards zero: for looking at, not for adding up. */
function usd(value: string): string {
  const [, sign, digits] = /^(-?)(.*)$/.exec(value) ?? []
  const [whole, fraction = ''] = (digits ?? '0').split('.')
  return `${sign}$${grouped(whole ?? '0')}.${fraction.slice(0, 2).padEnd(2, '0')}`
}

/** At most so many decimals; a small amount keeps its first significant digits. */
export function cut(value: string, decimals: number): string {
  const [whole, fraction] = value.split('.')
  if (fraction === undefined) return value
  const firstDigit = fraction.search(/[1-9]/)
  const kept = fraction.slice(0, whole === '0' ? Math.max(decimals, firstDigit + 3) : decimals).replace(/0+$/, '')
  return kept === '' ? (whole ?? '0') : `${whole}.${kept}`
}

/** The day, in UTC, of a moment in Unix seconds. What opens never has a moment beyond every calendar. */
export function day(seconds: string): string {
  const moment = new Date(Number(seconds) * 1_000)
  return Number.isNaN(moment.getTime()) ? 'the end of time' : moment.toISOString().slice(0, 10)
}

/** Thousands apart. */
function grouped(value: string): string {
  const [whole = '0', fraction] = value.split('.')
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return fraction === undefined ? spaced : `${spaced}.${fraction}`
}
