import { toDrawn } from './pixels.ts'

/** Exceeds the decimals of every useful token; more is unreadable. */
const DECIMALS_MAX = 255

/**
 * Converts base units to units, exactly: (`1500000`, `6`) is `1.5`. Null if either is invalid: both may come from an
 * untrusted contract.
 */
export function fromBaseUnits(raw: string, decimals: string): string | null {
  const places = /^\d{1,3}$/.test(decimals) ? toDrawn(decimals) : null
  if (places === null || places > DECIMALS_MAX || !/^-?\d+$/.test(raw)) return null
  const sign = raw.startsWith('-') ? '-' : ''
  const digits = raw.replace('-', '').padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places).replace(/^0+(?=\d)/, '')
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  return `${sign}${whole}${fraction && `.${fraction}`}`
}
