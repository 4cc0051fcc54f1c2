/** Orders plain decimals such as `-12.5` ascending. */
export function compareDecimals(a: string, b: string): number {
  const [isNegative, isOtherNegative] = [a.startsWith('-'), b.startsWith('-')]
  if (isNegative !== isOtherNegative) return isNegative ? -1 : 1
  return isNegative ? compareMagnitudes(b.slice(1), a.slice(1)) : compareMagnitudes(a, b)
}

function compareMagnitudes(a: string, b: string): number {
  const [whole = '', part = ''] = a.split('.')
  const [otherWhole = '', otherPart = ''] = b.split('.')
  if (whole.length !== otherWhole.length) return whole.length - otherWhole.length
  const [digits, otherDigits] = [`${whole}.${part}`, `${otherWhole}.${otherPart}`]
  if (digits === otherDigits) return 0
  return digits < otherDigits ? -1 : 1
}
