/** Formats the price of calls for the help: `1 credit`. */
export function priceOf(...calls: readonly { cost: number }[]): string {
  const credits = calls.reduce((sum, { cost }) => sum + cost, 0)
  if (credits === 0) return 'Free'
  return credits === 1 ? '1 credit' : `${credits} credits`
}
