/** Unknown figure. */
export const UNKNOWN = 'N/A'
const FIGURE = /^(-?)(\d+)(?:\.(\d+))?$/
const CENTS = 2
const AMOUNT_DECIMALS = 6
const PRICE_DECIMALS = 4
/** Significant digits of small figures. */
const DIGITS = 3

type Parts = { sign: string; whole: string; fraction: string }

/** Returns undefined if it is not a figure, e.g. `N/A`. */
function partsOf(figure: string): Parts | undefined {
  const [found, sign = '', whole = '0', fraction = ''] = FIGURE.exec(figure) ?? []
  return found === undefined ? undefined : { sign, whole, fraction }
}

/** Rounds to `decimals` places, halves away from zero. */
export function rounded(figure: string, decimals: number): string {
  const parts = partsOf(figure)
  if (!parts || parts.fraction.length <= decimals) return figure
  const kept = BigInt(parts.whole + parts.fraction.slice(0, decimals))
  const digits = String(kept + ((parts.fraction[decimals] ?? '0') >= '5' ? 1n : 0n)).padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const fraction = digits.slice(cut).replace(/0+$/, '')
  return `${parts.sign}${digits.slice(0, cut)}${fraction && `.${fraction}`}`
}

/** Adds commas between thousands and pads to `decimals` places. */
function grouped(figure: string, decimals = 0): string {
  const parts = partsOf(figure)
  if (!parts) return figure
  const whole = parts.whole.replace(/\B(?=(\d{3})+$)/g, ',')
  const fraction = parts.fraction.padEnd(decimals, '0')
  return `${parts.sign}${whole}${fraction && `.${fraction}`}`
}

/** Rounds to hundredths. A smaller amount is not zero: `<0.01`. */
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

/** Six decimals; smaller figures keep their first digits. */
export const quantity = (figure: string) => fine(figure, AMOUNT_DECIMALS)

/** Four decimals; smaller figures keep their first digits. */
export const price = (figure: string) => fine(figure, PRICE_DECIMALS)

export function isExact(figure: string, shown: string): boolean {
  const plain = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)
  return plain(shown.replaceAll(',', '')) === plain(figure)
}

/** Converts base units to token units. */
export function inUnits(base: string, decimals: number): string {
  const digits = base.padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const fraction = digits.slice(cut).replace(/0+$/, '')
  return `${digits.slice(0, cut)}${fraction && `.${fraction}`}`
}

/** Whole percent, rounded down: 100 means all of it. */
export function percentOf(part: bigint, whole: bigint): number {
  if (whole <= 0n) return 100
  return Math.max(0, Math.min(100, Number((part * 100n) / whole)))
}
