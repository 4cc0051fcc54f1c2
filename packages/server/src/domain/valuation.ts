import { compareText } from '../lib/compare-text.ts'
import type { Address } from './address.ts'
import { type Decimal, fromRaw, ONE, roundDown, roundPrice, sum, ZERO } from './decimal.ts'
import type { PositionDraft, TokenAmount } from './position.ts'
import type { Price, UsdPrice } from './price.ts'
import type { Token } from './token.ts'
import type { ReadGap, ReadOrigin, WalletRead } from './wallet-read.ts'

/** `''`: a plain symbol. */
export type ValuedToken = { address: Address | ''; symbol: string; name: string; decimals: number; listed?: boolean }

/** In token units; unpriced is worth 0. */
export type ValuedAsset = {
  token: ValuedToken
  balance: Decimal
  stored?: Decimal
  price: Decimal
  /** Null: unpriced. */
  priceSource: string | null
  value: Decimal
}

/** `value` = supplied + rewards − borrowed. */
export type ValuedPosition = {
  position: Omit<PositionDraft, 'supplied' | 'borrowed' | 'rewards'> & { protocol: string }
  supplied: ValuedAsset[]
  borrowed: ValuedAsset[]
  rewards: ValuedAsset[]
  value: Decimal
}

/** `held`: `direct` without tokens that stand for a position. */
export type ValuedRead = {
  read: ReadOrigin
  direct: ValuedAsset[]
  held: ValuedAsset[]
  positions: ValuedPosition[]
  /** held + positions. */
  value: Decimal
}

/** USD: anyone can hand over an account that owes a worthless token. */
const COUNTS_FROM = ONE

/** Adds protocols whose unpriced debt leaves the total too high. */
export function gapsOf({ read, positions }: ValuedRead): ReadGap[] {
  const isTooHigh = ({ borrowed, value }: ValuedPosition) =>
    borrowed.some(({ priceSource, token }) => priceSource === null && (token.listed || value.gte(COUNTS_FROM)))
  const protocols = new Set(positions.filter(isTooHigh).map(({ position: { protocol } }) => protocol))
  return [...read.gaps, ...[...protocols].map((protocol) => ({ protocol, reason: 'unpriced-debt' as const }))]
}

export function totalOf(assets: readonly ValuedAsset[]): Decimal {
  return sum(assets.map((asset) => asset.value))
}

export function valueRead(read: WalletRead): ValuedRead {
  const tokens = new Map(read.tokens.map((token) => [token.address, token]))
  const prices = new Map(read.prices.map((price) => [price.token, price]))
  const valued = (amount: TokenAmount) => valueAmount(amount, tokens, prices)
  const value = (amounts: readonly TokenAmount[]) => amounts.flatMap((amount) => valued(amount) ?? [])
  const positions = read.positions.map((position) =>
    valuePosition(position, value(position.supplied), value(position.borrowed), value(position.rewards)),
  )
  const direct: ValuedAsset[] = []
  const held: ValuedAsset[] = []
  for (const holding of read.holdings) {
    const asset = valued(holding)
    if (!asset) continue
    direct.push(asset)
    if (!holding.receipt) held.push(asset)
  }
  return {
    read,
    direct,
    held,
    positions,
    value: totalOf(held).plus(sum(positions.map((position) => position.value))),
  }
}

export function valuePosition(
  position: ValuedPosition['position'],
  supplied: ValuedAsset[],
  borrowed: ValuedAsset[],
  rewards: ValuedAsset[] = [],
): ValuedPosition {
  const value = totalOf(supplied).plus(totalOf(rewards)).minus(totalOf(borrowed))
  return { position, supplied, borrowed, rewards, value }
}

/** Rounds half to even to the 18 decimals shown. */
export function valueAsset(token: ValuedToken, balance: Decimal, price: UsdPrice | undefined): ValuedAsset {
  const usd = price ? roundPrice(price.usd) : ZERO
  return { token, balance, price: usd, priceSource: price?.source ?? null, value: balance.times(usd) }
}

function valueAmount(
  { token: address, amountRaw }: TokenAmount,
  tokens: ReadonlyMap<Address, Token>,
  prices: ReadonlyMap<Address, Price>,
): ValuedAsset | undefined {
  const token = tokens.get(address)
  if (!token || amountRaw === 0n) return undefined
  const price = prices.get(address)
  const balance = fromRaw(amountRaw, token.decimals)
  if (token.multiplier === undefined) return valueAsset(token, balance, price)
  const shown = shownUnits(token.multiplier, token.decimals, { balance, usd: price?.usd ?? ZERO })
  return { ...valueAsset(token, shown.balance, price && { ...price, usd: shown.usd }), stored: balance }
}

/** As the token's program shows them, rounded down to base units. */
export const shownUnits = (multiplier: string, decimals: number, stored: { balance: Decimal; usd: Decimal }) => ({
  balance: roundDown(stored.balance.times(multiplier), decimals),
  usd: stored.usd.div(multiplier),
})

/** Equal reads are equal bytes. */
export function byValue(assets: readonly ValuedAsset[]): ValuedAsset[] {
  return [...assets].sort(
    (a, b) =>
      b.value.cmp(a.value) ||
      compareText(a.token.symbol, b.token.symbol) ||
      compareText(a.token.address, b.token.address),
  )
}
