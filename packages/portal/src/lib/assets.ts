import { negated } from './decimals.ts'
import { signOf } from './money.ts'

const UNKNOWN = 'N/A'

export type Priced = { price: string; value: string; priceSource?: string | null; side?: 'borrow' | undefined }

/** Answers write 0 for the price and value of unpriced assets; some do not name the source. */
export const isPriced = ({ price, priceSource }: Pick<Priced, 'price' | 'priceSource'>): boolean =>
  priceSource === undefined ? signOf(price) !== 0 : priceSource !== null

export const priceOf = (asset: Pick<Priced, 'price' | 'priceSource'>): string =>
  isPriced(asset) ? asset.price : UNKNOWN

/** USD; negative for a debt. */
export const worthOf = (asset: Priced): string => (isPriced(asset) ? owed(asset.value, asset) : UNKNOWN)

/** Token units; negative for a debt. */
export const amountOf = (asset: { balance: string } & Pick<Priced, 'side'>): string => owed(asset.balance, asset)

const owed = (value: string, { side }: Pick<Priced, 'side'>): string =>
  side === 'borrow' && signOf(value) > 0 ? negated(value) : value

/** Returns the token's own symbol, or its name if it has none. */
export const symbolOf = ({ displaySymbol, displayName }: { displaySymbol: string; displayName: string }): string =>
  displaySymbol || displayName
