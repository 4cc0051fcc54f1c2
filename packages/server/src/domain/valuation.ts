import { type Decimal, fromRaw, roundPrice, sum, ZERO } from './decimal.ts'
import type { EvmAddress } from './evm-address.ts'
import type { Position, TokenAmount } from './position.ts'
import type { Price } from './price.ts'
import type { Token } from './token.ts'
import type { WalletRead } from './wallet-read.ts'

/** An amount in token units with the price it is shown at. `value` is the exact product; an unpriced asset is worth 0 and says so. */
export type ValuedAsset = {
  token: Token
  balance: Decimal
  price: Decimal
  /** `null`: unpriced. */
  priceSource: string | null
  value: Decimal
}

/** `value` = supplied + rewards − borrowed. */
export type ValuedPosition = {
  position: Position
  supplied: ValuedAsset[]
  borrowed: ValuedAsset[]
  rewards: ValuedAsset[]
  value: Decimal
}

/** One chain of a wallet: `direct` is every token it holds; `held` leaves out those that stand for a position. */
export type ValuedRead = {
  read: WalletRead
  direct: ValuedAsset[]
  held: ValuedAsset[]
  positions: ValuedPosition[]
  /** held + positions. */
  value: Decimal
}

export function totalOf(assets: readonly ValuedAsset[]): Decimal {
  return sum(assets.map((asset) => asset.value))
}

/** Values a read at its own prices. Totals are the exact sums of the values shown. */
export function valueRead(read: WalletRead): ValuedRead {
  const tokens = new Map(read.tokens.map((token) => [token.address, token]))
  const prices = new Map(read.prices.map((price) => [price.token, price]))
  const value = (amounts: readonly TokenAmount[]) => amounts.flatMap((amount) => valueAmount(amount, tokens, prices))
  const positions = read.positions.map((position) => {
    const valued = {
      position,
      supplied: value(position.supplied),
      borrowed: value(position.borrowed),
      rewards: value(position.rewards),
    }
    return { ...valued, value: totalOf(valued.supplied).plus(totalOf(valued.rewards)).minus(totalOf(valued.borrowed)) }
  })
  const held = value(read.holdings.filter((holding) => !holding.receipt))
  return {
    read,
    direct: value(read.holdings),
    held,
    positions,
    value: totalOf(held).plus(sum(positions.map((position) => position.value))),
  }
}

/** Nothing for an amount of zero or a token of which not even the decimals are known. */
function valueAmount(
  { token: address, amountRaw }: TokenAmount,
  tokens: ReadonlyMap<EvmAddress, Token>,
  prices: ReadonlyMap<EvmAddress, Price>,
): ValuedAsset[] {
  const token = tokens.get(address)
  if (!token || amountRaw === 0n) return []
  const price = prices.get(address)
  const balance = fromRaw(amountRaw, token.decimals)
  const usd = price ? roundPrice(price.usd) : ZERO
  return [{ token, balance, price: usd, priceSource: price?.source ?? null, value: balance.times(usd) }]
}
