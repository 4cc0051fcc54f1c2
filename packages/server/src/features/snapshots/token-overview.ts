import type { TokenOverviewItem } from '@coffer/contract'
import type { IdentityOf } from '../../catalog/token-identity.ts'
import { type Decimal, formatDecimal, roundPrice, sum, ZERO } from '../../domain/decimal.ts'
import { percentages } from '../../domain/shares.ts'
import type { ValuedAsset, ValuedRead } from '../../domain/valuation.ts'
import { compareText } from '../../lib/compare-text.ts'
import type { IconUrls } from '../icons/icons.ts'

export type OverviewPresentation = {
  identityOf: IdentityOf
  protocolName(key: string): string
  icons: IconUrls
}

const WALLET = 'wallet'

/** Debts are negative. */
type Part = { chain: string; protocol: string; asset: ValuedAsset; balance: Decimal }

type Coin = { main: Part; price: Decimal | null; balance: Decimal; value: Decimal; parts: readonly Part[] }

/** Coins without a price come last. Shares are of positive values and sum to 100. */
export function presentTokenOverview(reads: readonly ValuedRead[], presentation: OverviewPresentation) {
  const groups = Map.groupBy(reads.flatMap(partsOf), ({ chain, asset }) =>
    asset.token.address === '' ? asset.token.symbol : presentation.identityOf(chain, asset.token.address),
  )
  const coins = [...groups.values()].map(coinOf).sort(byWorth)
  const shares = percentages(coins.map(({ value }) => value))
  return coins.map((coin, index) => presentCoin(coin, shares[index] ?? ZERO, presentation))
}

function partsOf({ read: { chain }, held, positions }: ValuedRead): Part[] {
  const part = (protocol: string, asset: ValuedAsset, balance: Decimal): Part => ({ chain, protocol, asset, balance })
  return [
    ...held.map((asset) => part(WALLET, asset, asset.balance)),
    ...positions.flatMap(({ position: { protocol }, supplied, rewards, borrowed }) => [
      ...[...supplied, ...rewards].map((asset) => part(protocol, asset, asset.balance)),
      ...borrowed.map((asset) => part(protocol, asset, asset.balance.neg())),
    ]),
  ]
}

function coinOf(parts: readonly Part[]): Coin {
  const price = priceOf(parts.filter(({ asset }) => asset.priceSource !== null))
  const balance = sum(parts.map((part) => part.balance))
  return { main: mainOf(parts), price, balance, value: balance.times(price ?? ZERO), parts }
}

/** Mean weighted by amounts, debts included. Amounts without a price take it. */
function priceOf(priced: readonly Part[]): Decimal | null {
  const [first, ...others] = priced
  if (!first) return null
  if (others.every(({ asset }) => asset.price.eq(first.asset.price))) return first.asset.price
  const amount = sum(priced.map(({ balance }) => balance.abs()))
  return roundPrice(sum(priced.map(({ asset }) => asset.value)).div(amount))
}

function mainOf(parts: readonly Part[]): Part {
  const [largest] = parts.toSorted(
    (a, b) => b.asset.value.cmp(a.asset.value) || b.asset.balance.cmp(a.asset.balance) || compareText(a.chain, b.chain),
  )
  if (!largest) throw new Error('a coin without a part')
  return largest
}

function byWorth(a: Coin, b: Coin): number {
  return (
    Number(a.price === null) - Number(b.price === null) ||
    b.value.cmp(a.value) ||
    compareText(a.main.asset.token.symbol, b.main.asset.token.symbol) ||
    compareText(`${a.main.chain}:${a.main.asset.token.address}`, `${b.main.chain}:${b.main.asset.token.address}`)
  )
}

function presentCoin(
  { main: { chain, asset }, price, balance, value, parts }: Coin,
  share: Decimal,
  presentation: OverviewPresentation,
): TokenOverviewItem {
  const { address, symbol, name } = asset.token
  return {
    image: address === '' ? '' : presentation.icons.token(chain, address, symbol).imgSmall,
    symbol: symbol.toUpperCase(),
    name,
    displaySymbol: symbol,
    displayName: name,
    price: formatDecimal(price ?? ZERO),
    balance: formatDecimal(balance),
    value: formatDecimal(value),
    percentage: formatDecimal(share),
    protocolsDetailed: presentProtocols(parts, price ?? ZERO, presentation),
  }
}

function presentProtocols(parts: readonly Part[], price: Decimal, { protocolName, icons }: OverviewPresentation) {
  const balances = [...Map.groupBy(parts, ({ protocol }) => protocol)].map(
    ([key, members]) => [key, sum(members.map((member) => member.balance))] as const,
  )
  balances.sort(([keyA, a], [keyB, b]) => b.cmp(a) || compareText(keyA, keyB))
  return balances.map(([key, balance]) => ({
    key,
    name: key === WALLET ? 'Wallet' : protocolName(key),
    value: formatDecimal(balance.times(price)),
    balance: formatDecimal(balance),
    image: key === WALLET ? '' : icons.protocol(key).imgSmall,
  }))
}
