import type { HeldAsset, Holding } from '../../api/holdings.ts'
import { isPriced, symbolOf, worthOf } from '../../lib/assets.ts'
import { ratioOf, sumDecimals } from '../../lib/decimals.ts'
import { signOf } from '../../lib/money.ts'
import { compareDecimals } from '../../lib/pixels.ts'

/** A part of the net worth in USD, and its share as a ratio; debts are negative. */
export type Slice = { key: string; label: string; value: string; share: string }

type Entry = { key: string; label: string; value: string }

/** Returns the total worth. For one address it is the API's own text. */
export const netWorthOf = (holdings: readonly Holding[]): string =>
  sumDecimals(holdings.map(({ networth }) => networth))

export const byChain = (holdings: readonly Holding[]): Slice[] =>
  slice(holdings, ({ chains }) => Object.values(chains).map(({ key, name, value }) => ({ key, label: name, value })))

export const byProtocol = (holdings: readonly Holding[]): Slice[] =>
  slice(holdings, ({ assetByProtocols }) =>
    Object.values(assetByProtocols).map(({ key, name, value }) => ({ key, label: name, value })),
  )

/** Coins by symbol, as in the token overview; unpriced ones are worth nothing and omitted. */
export const byCoin = (holdings: readonly Holding[]): Slice[] =>
  slice(holdings, ({ assetByProtocols }) =>
    Object.values(assetByProtocols).flatMap(({ assets }) => assets.filter(isPriced).map(entryOf)),
  )

const entryOf = (asset: HeldAsset): Entry => ({ key: asset.symbol, label: symbolOf(asset), value: worthOf(asset) })

function slice(holdings: readonly Holding[], entriesOf: (holding: Holding) => Entry[]): Slice[] {
  const whole = netWorthOf(holdings)
  const groups = Map.groupBy(holdings.flatMap(entriesOf), ({ key }) => key)
  return [...groups]
    .map(([key, entries]) => {
      const value = sumDecimals(entries.map((entry) => entry.value))
      return { key, label: entries[0]?.label ?? key, value, share: ratioOf(value, whole) }
    })
    .filter(({ value }) => signOf(value) !== 0)
    .sort((a, b) => compareDecimals(b.value, a.value))
}

/** Returns the `count` largest and merges the others into one, named by `nameRest`. */
export function largest(slices: readonly Slice[], count: number, nameRest: (rest: number) => string): Slice[] {
  if (slices.length <= count + 1) return [...slices]
  const rest = slices.slice(count)
  const value = sumDecimals(rest.map((one) => one.value))
  const share = sumDecimals(rest.map((one) => one.share))
  return [...slices.slice(0, count), { key: '', label: nameRest(rest.length), value, share }]
}
