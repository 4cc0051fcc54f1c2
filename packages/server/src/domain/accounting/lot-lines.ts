import type { Address } from '../address.ts'
import { dayOf, startOfDay } from '../day.ts'
import { type Decimal, ZERO } from '../decimal.ts'
import { apportion } from './apportion.ts'
import type { Entry } from './entry.ts'
import { basisOf } from './lots.ts'
import type { Disposal, EntryResult, Sold } from './result.ts'
import { assetKey, type Holdings, type Lot, type Moment, type Pool } from './state.ts'

/**
 * `unseen`: no transaction acquired the units. `unknown-cost`: they, or others of their pool, had no price.
 * `unknown-proceeds`: nothing priced them. `sold-with-unknown`: another cost of the sale is unknown. `gap`: the chain's
 * balance differs.
 */
type LotGap = 'unseen' | 'unknown-cost' | 'unknown-proceeds' | 'sold-with-unknown' | 'gap'

const SECONDS_A_DAY = 86_400

/** In the units shown at the time. */
type Asset = { wallet: Address; chain: string; token: Address; tokenId: bigint | null }

/** In USD. Null: see `missing`. */
export type SoldLot = Asset & {
  quantity: Decimal
  /** Null: unknown, or average cost. */
  acquired: Moment | null
  disposed: Moment
  movement: number
  proceeds: Decimal | null
  cost: Decimal | null
  gain: Decimal | null
  /** UTC days. */
  daysHeld: number | null
  missing: readonly LotGap[]
}

/** `worth` in USD; null: unpriced, booked as 0. */
export type EarnedUnits = Asset & { quantity: Decimal; earned: Moment; movement: number; worth: Decimal | null }

/** `transit`: `chain` is null, `token` the coin's identity. `cost` of a debt: the amount received for it. */
export type OpenLot = Omit<Asset, 'chain'> & {
  chain: string | null
  place: 'wallet' | 'position' | 'debt' | 'transit'
  position: string | null
  quantity: Decimal
  acquired: Moment | null
  cost: Decimal | null
  missing: readonly LotGap[]
}

/** `keepsLots`: not by average cost, which has no units of one day. */
export const soldLots = (entry: Entry, { disposals }: EntryResult, keepsLots: boolean): SoldLot[] =>
  disposals.flatMap((disposal) => linesOf(entry, disposal, keepsLots))

export function earnedUnits({ wallet, movements, ...entry }: Entry, { earnings }: EntryResult): EarnedUnits[] {
  return earnings.flatMap(({ movement, units, worth }) => {
    const of = movements[movement]
    if (!of) return []
    const { token, tokenId } = of
    const quantity = inShown(of, units)
    return [{ wallet, chain: entry.chain, token, tokenId, quantity, earned: momentOf(entry), movement, worth }]
  })
}

/** `multipliers`: shown per stored unit, by `assetKey`. */
export function* openLots(
  { pools, transit }: Holdings,
  keepsLots: boolean,
  multipliers: ReadonlyMap<string, Decimal>,
): Generator<OpenLot> {
  for (const pool of pools) {
    const { wallet, chain, token, tokenId, position, flagged, debt } = pool
    const at = { wallet, chain, token, tokenId, position, place: placeOf(pool) }
    const multiplier = multipliers.get(assetKey(pool))
    for (const lot of pool.lots) {
      const line = openLot(lot, keepsLots && !debt, multiplier)
      yield { ...at, ...line, ...(flagged && { cost: null, missing: ['gap'] as const }) }
    }
  }
  for (const { wallet, identity, lots } of transit) {
    const nowhere = { chain: null, tokenId: null, position: null, place: 'transit' } as const
    for (const lot of lots) yield { ...nowhere, wallet, token: identity, ...openLot(lot, keepsLots) }
  }
}

function placeOf({ debt, position }: Pool): OpenLot['place'] {
  if (debt) return 'debt'
  return position === null ? 'wallet' : 'position'
}

function openLot(lot: Lot, keepsLots: boolean, multiplier?: Decimal) {
  const { basis: cost } = lot
  return {
    quantity: inShown({ multiplier }, lot.quantity),
    cost,
    acquired: keepsLots ? lot.acquired : null,
    missing: costGaps(lot, keepsLots),
  }
}

function costGaps(lot: Lot, keepsLots: boolean): LotGap[] {
  if (lot.basis !== null) return []
  return keepsLots && !lot.acquired ? ['unseen'] : ['unknown-cost']
}

const inShown = ({ multiplier }: { multiplier?: Decimal | null | undefined }, units: Decimal) =>
  multiplier ? units.times(multiplier) : units

const momentOf = ({ time, chain, transaction }: Moment): Moment => ({ time, chain, transaction })

function linesOf(entry: Entry, disposal: Disposal, keepsLots: boolean): SoldLot[] {
  const { movement, sold, costBasis, proceeds } = disposal
  const parts = shareByAsset(proceeds, sold)
  const lots = sold.flatMap(({ lots, ...asset }, i) => {
    const shares = share(
      parts[i] ?? null,
      lots.map(({ quantity }) => quantity),
    )
    return lots.map((lot, j) => ({ asset, lot, proceeds: shares[j] ?? null }))
  })
  const { token, tokenId, multiplier } = entry.movements[movement] ?? { token: '', tokenId: null }
  const nothing = { order: -1, quantity: ZERO, basis: costBasis, acquired: null, backing: null }
  const sales = lots.length > 0 ? lots : [{ asset: { token, tokenId }, lot: nothing, proceeds }]
  return sales.map(({ asset, lot, proceeds }) => {
    const [acquired, disposed] = [keepsLots ? lot.acquired : null, momentOf(entry)]
    const isKnown = costBasis !== null && disposal.proceeds !== null
    return {
      wallet: entry.wallet,
      chain: entry.chain,
      ...asset,
      movement,
      quantity: asset.token === token ? inShown({ multiplier }, lot.quantity) : lot.quantity,
      acquired,
      disposed,
      proceeds,
      cost: lot.basis,
      gain: isKnown && lot.basis && proceeds ? proceeds.minus(lot.basis) : null,
      daysHeld: acquired && daysBetween(acquired.time, disposed.time),
      missing: [...costGaps(lot, keepsLots), ...saleGaps(lot, disposal)],
    }
  })
}

function saleGaps({ basis }: Lot, { costBasis, proceeds }: Disposal): LotGap[] {
  if (proceeds === null) return ['unknown-proceeds']
  return costBasis === null && basis !== null ? ['sold-with-unknown'] : []
}

/** Divides by cost: the assets have no common unit. */
function shareByAsset(proceeds: Decimal | null, sold: readonly Sold[]): (Decimal | null)[] {
  if (sold.length < 2) return sold.map(() => proceeds)
  const costs = sold.map(({ lots }) => basisOf(lots))
  const known = costs.filter((cost) => cost !== null)
  return known.length === costs.length ? share(proceeds, known) : costs.map(() => null)
}

function share(total: Decimal | null, weights: readonly Decimal[]): (Decimal | null)[] {
  return total === null ? weights.map(() => null) : apportion(total, weights)
}

const daysBetween = (from: number, to: number) => (startOfDay(dayOf(to)) - startOfDay(dayOf(from))) / SECONDS_A_DAY
