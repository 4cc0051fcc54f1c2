/** Independent of the locale. */
export function compareText(a: string, b: string): number {
  return Number(a > b) - Number(a < b)
}
