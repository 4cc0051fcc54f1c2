/** Orders texts by their UTF-16 units: the same on every machine, whatever its language. */
export function compareText(a: string, b: string): number {
  return Number(a > b) - Number(a < b)
}
