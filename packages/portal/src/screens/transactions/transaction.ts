import type { V1Answer } from '../../api/types.ts'
import { signOf } from '../../lib/money.ts'

export type Answer = V1Answer<'GET', '/v1/transactions'>
export type Transaction = Answer['transactions'][number]
export type Asset = Transaction['assetsIn'][number]
export type Coverage = Answer['coverage'][number]
export type Sync = Answer['syncs'][number]

/** A wallet has a transaction once. */
export const keyOf = ({ address, chain, hash }: Transaction): string => `${address} ${chain.key} ${hash}`

const UNKNOWN = 'N/A'

export const isFeeKnown = ({ nativeAssetFees: fee }: Transaction): boolean =>
  fee.priceSource !== null || signOf(fee.balance) === 0

export const feeWorthOf = (one: Transaction): string => (isFeeKnown(one) ? one.feesFiat : UNKNOWN)

/** Excludes gas. */
export const movementsOf = ({ assetsOut, assetsIn }: Transaction): Asset[] => [...assetsOut, ...assetsIn]

export function pricedPart(one: Transaction): 'all' | 'some' | 'none' {
  const moved = movementsOf(one)
  if (moved.every(({ priceSource }) => priceSource !== null)) return 'all'
  return moved.some(({ priceSource }) => priceSource !== null) ? 'some' : 'none'
}

/** USD of all movements; unknown if none has a price. */
export const totalOf = (one: Transaction): string => (pricedPart(one) === 'none' ? UNKNOWN : one.valueFiat)

/** Reason for an unknown PnL. `history`: the wallet's history is incomplete, so costs are not computed. */
export type PnlGap = 'never' | 'history' | 'unpriced' | 'unknown-cost'

export function pnlGap(one: Transaction, syncs: readonly Sync[]): PnlGap | null {
  if (one.closedPnl !== UNKNOWN) return null
  if (one.pnlReason === 'unpriced') return 'unpriced'
  if (one.pnlReason !== 'no-history') return 'unknown-cost'
  const state = syncs.find(({ address }) => address === one.address)?.state
  return state === 'never' ? 'never' : 'history'
}

/** Amounts of tokens with unknown decimals are in base units. */
export const isInBaseUnits = ({ decimal }: Asset): boolean => decimal === UNKNOWN

/** Returns all other participants, each once. */
export function counterpartiesOf(one: Transaction): string[] {
  const named = [one.from, one.to, ...movementsOf(one).flatMap(({ from, to }) => [from, to])]
  return [...new Set(named)].filter((address) => address !== '' && address !== one.address)
}
