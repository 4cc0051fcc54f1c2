import type { LotGapView } from '@coffer/contract/portal'
import type { EarnedUnits, OpenLot, SoldLot } from '../../../domain/accounting/lot-lines.ts'
import type { PnlSums } from '../../../domain/accounting/pnl.ts'
import type { Moment } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, formatDecimal, ONE, proportion, roundPrice, ZERO } from '../../../domain/decimal.ts'
import type { FindTokens } from '../../../wallets/create-reading.ts'
import { findByChain, type TokenOnChain } from '../context.ts'
import type { PnlScopes } from './pnl.ts'

const UNKNOWN = 'N/A'

export function presentSums({ realised, sales, unknownSales, unpricedFees, ...sums }: PnlSums) {
  const isKnown = sales > 0 || unknownSales === 0
  return {
    realised: isKnown ? rounded(realised) : UNKNOWN,
    sales,
    unknownSales,
    unpricedFees,
    income: rounded(sums.income),
    expense: rounded(sums.expense),
    fees: rounded(sums.fees),
  }
}

/** Unrounded, so that lots add up. */
export function presentSoldLot(lot: SoldLot) {
  return {
    ...assetOf(lot),
    acquired: lot.acquired && momentOf(lot.acquired),
    disposed: momentOf(lot.disposed),
    proceeds: exact(lot.proceeds),
    cost: exact(lot.cost),
    gain: exact(lot.gain),
    daysHeld: lot.daysHeld,
    missing: [...lot.missing],
  }
}

export function presentOpenLot(lot: OpenLot) {
  const { quantity, cost, place, position, acquired, missing } = lot
  const unitCost = cost && quantity.gt(ZERO) ? roundPrice(proportion(cost, ONE, quantity)) : null
  return {
    ...assetOf(lot),
    place,
    position,
    acquired: acquired && momentOf(acquired),
    cost: exact(cost),
    unitCost: exact(unitCost),
    missing: [...missing],
  }
}

export function presentEarning(units: EarnedUnits) {
  const missing: LotGapView[] = units.worth === null ? ['unpriced'] : []
  return { ...assetOf(units), earned: momentOf(units.earned), worth: exact(units.worth), missing }
}

function assetOf({ wallet, chain, token, tokenId, quantity }: OpenLot | SoldLot | EarnedUnits) {
  const id = tokenId === null ? null : String(tokenId)
  return { wallet, chain, contract: token, tokenId: id, quantity: formatDecimal(quantity) }
}

const momentOf = ({ time, chain, transaction }: Moment) => ({
  at: new Date(time * 1_000).toISOString(),
  chain,
  transaction,
})
const exact = (value: Decimal | null) => (value ? formatDecimal(value) : UNKNOWN)
const rounded = (value: Decimal) => formatDecimal(roundPrice(value))

/** Empty for tokens never read. */
export async function symbolsOf(lines: readonly TokenLine[], findTokens: FindTokens) {
  const finders = await findByChain(lines.filter(hasChain), findTokens)
  return ({ chain, token }: TokenLine) => finders.get(chain ?? '')?.(token)?.symbol ?? ''
}

export type TokenLine = { chain: string | null; token: Address }

const hasChain = (line: TokenLine): line is TokenOnChain => line.chain !== null

export const presentLeftOut = ({ withoutHistory, leftOut }: PnlScopes) => ({
  withoutHistory: [...withoutHistory],
  leftOut: leftOut.map(({ wallet, chain, reason }) => ({ address: wallet, chain, reason })),
})
