import { compareText } from '../lib/compare-text.ts'
import type { Address } from './address.ts'
import { type Decimal, fromRaw, ONE, roundDown, roundPrice, sum, ZERO } from './decimal.ts'
import type { Position, TokenAmount } from './position.ts'
import type { Price } from './price.ts'
import type { Token } from './token.ts'
import type { ReadGap, WalletRead } from './wallet-read.ts'

/** What an amount is of: a token of a chain, or with the address `''` a plain symbol. */
export type ValuedToken = Pick<Token, 'symbol' | 'name' | 'decimals'> &
  Partial<Pick<Token, 'listed'>> & { address: Address | '' }

/**
 * An amount in token units with the price it is shown at. `value` is the exact product; an unpriced asset is worth 0 and
 * says so.
 */
export type ValuedAsset = {
  token: ValuedToken
  balance: Decimal
  /** In stored units, where the balance is shown in others. */
  stored?: Decimal
  price: Decimal
  /** `null`: unpriced. */
  priceSource: string | null
  value: Decimal
}

/** `value` = supplied + rewards − borrowed. */
export type ValuedPosition = {
  position: Pick<
    Position,
    'protocol' | 'kind' | 'label' | 'pool' | 'healthFactorRaw' | 'unlockAt' | 'tokenId' | 'perpetual'
  > &
    Partial<Pick<Position, 'receipts'>>
  supplied: ValuedAsset[]
  borrowed: ValuedAsset[]
  rewards: ValuedAsset[]
  value: Decimal
}

/** Where and when something was read: at a block, if it is on a chain; of one address, if one holds it all. */
export type ReadOrigin = Pick<WalletRead, 'chain' | 'readAt' | 'gaps'> &
  Partial<Pick<WalletRead, 'wallet' | 'block' | 'blockTime'>>

/** One chain of a wallet: `direct` is every token it holds; `held` leaves out those that stand for a position. */
export type ValuedRead = {
  read: ReadOrigin
  direct: ValuedAsset[]
  held: ValuedAsset[]
  positions: ValuedPosition[]
  /** held + positions. */
  value: Decimal
}

/** USD from which a position counts for `gapsOf`: anyone can hand over an account that owes a worthless token. */
const COUNTS_FROM = ONE

/**
 * The gaps of a read, and protocols with a debt that takes nothing off the total because its token has no price: a listed
 * token, or any in a position that adds a dollar.
 */
export function gapsOf({ read, positions }: ValuedRead): ReadGap[] {
  const isTooHigh = ({ borrowed, value }: ValuedPosition) =>
    borrowed.some(({ priceSource, token }) => priceSource === null && (token.listed || value.gte(COUNTS_FROM)))
  const protocols = new Set(positions.filter(isTooHigh).map(({ position: { protocol } }) => protocol))
  return [...read.gaps, ...[...protocols].map((protocol) => ({ protocol, reason: 'unpriced-debt' as const }))]
}

export function totalOf(assets: readonly ValuedAsset[]): Decimal {
  return sum(assets.map((asset) => asset.value))
}

/** Values a read at its own prices. Totals are the exact sums of the values shown. */
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

/** An amount at the price that is shown: half-even to 18 decimals. Without a price it is unpriced. */
export function valueAsset(
  token: ValuedToken,
  balance: Decimal,
  price: Pick<Price, 'usd' | 'source'> | undefined,
): ValuedAsset {
  const usd = price ? roundPrice(price.usd) : ZERO
  return { token, balance, price: usd, priceSource: price?.source ?? null, value: balance.times(usd) }
}

/** Undefined for an amount of zero, or a token whose decimals are unknown. */
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

/** A stored amount with its price as the token's program shows them: rounded down to base units. */
export const shownUnits = (
  multiplier: string,
  decimals: number,
  { balance, usd }: { balance: Decimal; usd: Decimal },
) => ({
  balance: roundDown(balance.times(multiplier), decimals),
  usd: usd.div(multiplier),
})

/** Most valuable first; equals by symbol and address, so that two answers of the same read are the same bytes. */
export function byValue(assets: readonly ValuedAsset[]): ValuedAsset[] {
  return [...assets].sort(
    (a, b) =>
      b.value.cmp(a.value) ||
      compareText(a.token.symbol, b.token.symbol) ||
      compareText(a.token.address, b.token.address),
  )
}
