import { type Decimal, roundPrice, sum, ZERO } from './decimal.ts'
import { byValue, type ValuedAsset, type ValuedPosition, type ValuedRead } from './valuation.ts'
import type { ReadOrigin } from './wallet-read.ts'

export function mergeReads(reads: readonly ValuedRead[]): ValuedRead[] {
  return [...Map.groupBy(reads, ({ read }) => read.chain).values()].map((ofChain) => ({
    read: mergeOrigins(ofChain.map(({ read }) => read)),
    direct: mergeAssets(ofChain.flatMap(({ direct }) => direct)),
    held: mergeAssets(ofChain.flatMap(({ held }) => held)),
    positions: mergePositions(ofChain.flatMap(({ positions }) => positions)),
    value: sum(ofChain.map(({ value }) => value)),
  }))
}

function mergeOrigins(origins: readonly ReadOrigin[]): ReadOrigin {
  const [oldest] = origins.toSorted((a, b) => (a.blockTime ?? 0) - (b.blockTime ?? 0))
  if (!oldest) throw new Error('nothing to merge')
  const gaps = new Map(origins.flatMap(({ gaps }) => gaps).map((gap) => [`${gap.protocol} ${gap.reason}`, gap]))
  const { chain, block, blockTime } = oldest
  return {
    chain,
    readAt: Math.min(...origins.map(({ readAt }) => readAt)),
    gaps: [...gaps.values()],
    ...(block !== undefined && { block }),
    ...(blockTime !== undefined && { blockTime }),
  }
}

function mergePositions(positions: readonly ValuedPosition[]): ValuedPosition[] {
  const keyOf = ({ position: { protocol, kind, label, pool } }: ValuedPosition) =>
    JSON.stringify([protocol, kind, label, pool])
  return [...Map.groupBy(positions, keyOf).values()].flatMap((same) =>
    same.slice(0, 1).map(({ position }) => ({
      position,
      supplied: mergeAssets(same.flatMap(({ supplied }) => supplied)),
      borrowed: mergeAssets(same.flatMap(({ borrowed }) => borrowed)),
      rewards: mergeAssets(same.flatMap(({ rewards }) => rewards)),
      value: sum(same.map(({ value }) => value)),
    })),
  )
}

/** Sums values exactly. Different prices become their mean, with the source of the most valuable. */
export function mergeAssets(assets: readonly ValuedAsset[]): ValuedAsset[] {
  const keyOf = ({ token: { address, symbol } }: ValuedAsset) => address || symbol.toLowerCase()
  return byValue([...Map.groupBy(assets, keyOf).values()].flatMap(mergeSame))
}

function mergeSame(same: readonly ValuedAsset[]): ValuedAsset[] {
  const [first] = same
  if (!first) return []
  const priced = same.filter((asset) => asset.priceSource !== null)
  const [dearest] = byValue(priced)
  return [
    {
      token: first.token,
      balance: sum(same.map(({ balance }) => balance)),
      price: meanPrice(priced),
      priceSource: dearest?.priceSource ?? null,
      value: sum(same.map(({ value }) => value)),
    },
  ]
}

function meanPrice(priced: readonly ValuedAsset[]): Decimal {
  const [first] = priced
  if (!first) return ZERO
  if (priced.every(({ price }) => price.eq(first.price))) return first.price
  const amount = sum(priced.map(({ balance }) => balance))
  return roundPrice(sum(priced.map(({ value }) => value)).div(amount))
}
