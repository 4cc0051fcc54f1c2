/** What stands for a figure that is not known. */
export const UNKNOWN = 'N/A'
const FIGURE = /^(-?)(\d+)(?:\.(\d+))?$/
const CENTS = 2
const AMOUNT_DECIMALS = 6
const PRICE_DECIMALS = 4
/** Digits that a small figure keeps. */
const DIGITS = 3

type Parts = { sign: string; whole: string; fraction: string }

/** Undefined: it is no figure, e.g. `N/A`. */
function partsOf(figure: string): Parts | undefined {
  const [found, sign = '', whole = '0', fraction = ''] = FIGURE.exec(figure) ?? []
  return found === undefined ? undefined : { sign, whole, fraction }
}

/** A decimal with so many decimals, halves away from zero; as it is where it has no more. */
export function rounded(figure: string, decimals: number): string {
  const parts = partsOf(figure)
  if (!parts || parts.fraction.length <= decimals) return figure
  const kept = BigInt(parts.whole + parts.fraction.slice(0, decimals))
  const digits = String(kept + ((parts.fraction[decimals] ?? '0') >= '5' ? 1n : 0n)).padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const fraction = digits.slice(cut).replace(/0+$/, '')
  return `${parts.sign}${digits.slice(0, cut)}${fraction && `.${fraction}`}`
}

/** With commas between thousands, and at least so many decimals. */
function grouped(figure: string, decimals = 0): string {
  const parts = partsOf(figure)
  if (!parts) return figure
  const whole = parts.whole.replace(/\B(?=(\d{3})+$)/g, ',')
  const fraction = parts.fraction.padEnd(decimals, '0')
  return `${parts.sign}${whole}${fraction && `.${fraction}`}`
}

/** Money for a table, in hundredths. What is less than one is no zero: `<0.01`. */
export function money(figure: string): string {
  const near = rounded(figure, CENTS)
  if (/^-?0$/.test(near) && near !== figure) return figure.startsWith('-') ? '>-0.01' : '<0.01'
  return grouped(near, CENTS)
}

function fine(figure: string, decimals: number): string {
  const parts = partsOf(figure)
  const first = parts?.whole === '0' ? parts.fraction.search(/[1-9]/) : 0
  return grouped(rounded(figure, Math.max(decimals, first + DIGITS)))
}

/** A quantity for a table: six decimals, and the first digits of what is smaller. */
export const quantity = (figure: string) => fine(figure, AMOUNT_DECIMALS)

/** A price for a table: four decimals, and the first digits of what is smaller. */
export const price = (figure: string) => fine(figure, PRICE_DECIMALS)

/** Whether a table shows all digits of a figure. */
export function isExact(figure: string, shown: string): boolean {
  const plain = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)
  return plain(shown.replaceAll(',', '')) === plain(figure)
}

/** Base units in units of the token. */
export function inUnits(base: string, decimals: number): string {
  const digits = base.padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const fraction = digits.slice(cut).replace(/0+$/, '')
  return `${digits.slice(0, cut)}${fraction && `.${fraction}`}`
}

/** A part in whole percent, rounded down: what is not whole is not 100. */
export function percentOf(part: bigint, whole: bigint): number {
  if (whole <= 0n) return 100
  return Math.max(0, Math.min(100, Number((part * 100n) / whole)))
}
