import { type Decimal, sum, ZERO } from './decimal.ts'
import { isFiat } from './fiat.ts'
import type { PositionKind } from './position.ts'
import type { Price } from './price.ts'
import {
  byValue,
  type ReadOrigin,
  totalOf,
  type ValuedAsset,
  type ValuedPosition,
  type ValuedRead,
  type ValuedToken,
  valueAsset,
  valuePosition,
} from './valuation.ts'

/** Chain key of holdings that are on no chain. */
export const CEX = 'cex'

/** Where a holding is kept: by its owner, or in an account at an exchange. */
export type HoldingAccount = 'wallet' | 'spot' | 'funding' | 'earn' | 'margin'

/** Amounts in units of the token, exact and never negative; `owned` still contains what was borrowed. */
export type VirtualHolding = {
  account: HoldingAccount
  token: ValuedToken
  owned: Decimal
  borrowed: Decimal
  /** `null`: unpriced. */
  price: Pick<Price, 'usd' | 'source'> | null
}

/** One source of a virtual user's holdings as it was last read: a chain, the plain symbols, or an exchange. */
export type VirtualRead = Omit<ReadOrigin, 'wallet'> & {
  /** Key of the exchange. */
  protocol?: string
  holdings: VirtualHolding[]
}

const accounts: Record<Exclude<HoldingAccount, 'wallet'>, { kind: PositionKind; label: string }> = {
  spot: { kind: 'deposit', label: 'Spot' },
  funding: { kind: 'deposit', label: 'Funding' },
  earn: { kind: 'yield', label: 'Earn' },
  margin: { kind: 'margin', label: 'Margin' },
}

/** A plain symbol has no base units; amounts of it are kept to so many decimals at most. */
const SYMBOL_DECIMALS = 18

/** What is known of a plain symbol, which is its symbol. */
export function symbolToken(symbol: string): ValuedToken {
  return { address: '', symbol, name: symbol, decimals: SYMBOL_DECIMALS }
}

/** Values a read at its own prices: what is held by hand directly, every account of an exchange as a position. */
export function valueVirtualRead({ holdings, protocol = '', ...read }: VirtualRead): ValuedRead {
  const held = assetsOf(
    holdings.filter((holding) => holding.account === 'wallet'),
    'owned',
  )
  const positions = Object.entries(accounts).flatMap(([account, shown]): ValuedPosition[] => {
    const inside = holdings.filter((holding) => holding.account === account)
    const [owned, borrowed] = [assetsOf(inside, 'owned'), assetsOf(inside, 'borrowed')]
    if (owned.length + borrowed.length === 0) return []
    // A debt shows only where a position nests.
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

/** USD of the fiat money among the holdings; debts are no cash. */
export function cashOf(reads: readonly VirtualRead[]): Decimal {
  const fiat = reads.flatMap(({ holdings }) =>
    holdings.filter(({ token }) => token.address === '' && isFiat(token.symbol)),
  )
  return totalOf(assetsOf(fiat, 'owned'))
}
