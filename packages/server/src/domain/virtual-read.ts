import { type Decimal, sum, ZERO } from './decimal.ts'
import type { PositionKind } from './position.ts'
import type { UsdPrice } from './price.ts'
import {
  byValue,
  totalOf,
  type ValuedAsset,
  type ValuedPosition,
  type ValuedRead,
  type ValuedToken,
  valueAsset,
  valuePosition,
} from './valuation.ts'
import type { ReadOrigin } from './wallet-read.ts'

/** ISO 4217, without codes better known as coins (MNT, ALL, TOP). */
const FIAT: ReadonlySet<string> = new Set(
  [
    'AED ARS AUD BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP GHS HKD HUF IDR ILS INR JPY KES KRW KWD KZT MXN MYR',
    'NGN NOK NZD PEN PHP PKR PLN QAR RON SAR SEK SGD THB TRY TWD UAH USD UZS VND ZAR',
  ].flatMap((codes) => codes.split(' ')),
)

export const CEX = 'cex'

/** `wallet`: kept by its owner. */
export type HoldingAccount = 'wallet' | 'spot' | 'funding' | 'earn' | 'margin'

/** In exact token units. `owned` includes borrowed units. */
export type VirtualHolding = {
  account: HoldingAccount
  token: ValuedToken
  owned: Decimal
  borrowed: Decimal
  /** Null: unpriced. */
  price: UsdPrice | null
}

export type VirtualRead = Omit<ReadOrigin, 'wallet'> & {
  protocol?: string
  holdings: VirtualHolding[]
}

const accounts: Record<Exclude<HoldingAccount, 'wallet'>, { kind: PositionKind; label: string }> = {
  spot: { kind: 'deposit', label: 'Spot' },
  funding: { kind: 'deposit', label: 'Funding' },
  earn: { kind: 'yield', label: 'Earn' },
  margin: { kind: 'margin', label: 'Margin' },
}

export function symbolToken(symbol: string): ValuedToken {
  return { address: '', symbol, name: symbol, decimals: 18 }
}

export function valueVirtualRead({ holdings, protocol = '', ...read }: VirtualRead): ValuedRead {
  const inWallet = holdings.filter((holding) => holding.account === 'wallet')
  const held = assetsOf(inWallet, 'owned')
  const positions = Object.entries(accounts).flatMap(([account, shown]): ValuedPosition[] => {
    const inside = holdings.filter((holding) => holding.account === account)
    const [owned, borrowed] = [assetsOf(inside, 'owned'), assetsOf(inside, 'borrowed')]
    if (owned.length + borrowed.length === 0) return []
    // Only nested positions, such as `margin`, show a debt.
    const kind = borrowed.length > 0 ? 'margin' : shown.kind
    return [valuePosition({ protocol, kind, label: shown.label }, owned, borrowed)]
  })
  const value = totalOf(held).plus(sum(positions.map((position) => position.value)))
  return { read, direct: held, held, positions, value }
}

function assetsOf(holdings: readonly VirtualHolding[], side: 'owned' | 'borrowed'): ValuedAsset[] {
  return byValue(
    holdings
      .filter((holding) => holding[side].gt(ZERO))
      .map(({ token, price, [side]: amount }) => valueAsset(token, amount, price ?? undefined)),
  )
}

/** USD of fiat money, without debts. */
export function cashOf(reads: readonly VirtualRead[]): Decimal {
  const fiat = reads.flatMap(({ holdings }) =>
    holdings.filter(({ token }) => token.address === '' && FIAT.has(token.symbol)),
  )
  return totalOf(assetsOf(fiat, 'owned'))
}
