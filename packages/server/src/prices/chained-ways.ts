import type { Address } from '../domain/address.ts'
import type { Price } from '../domain/price.ts'
import type { PriceStep, PriceWay } from './price-way.ts'

const MOST_LINKS = 3
const MOST_WAYS = 20

export function chainedWays(token: Address, ways: readonly PriceWay[]): PriceWay[] {
  const own = new Map(ways.filter((way) => way.token === token).map((way) => [keyOf(way), way]))
  const usable = [...own.values()].toSorted((a, b) => Number(a.refusal !== undefined) - Number(b.refusal !== undefined))
  return usable.slice(0, MOST_WAYS).map((way) => ({ ...way, path: pathOf(way, ways, MOST_LINKS) }))
}

const keyOf = ({ source, path }: PriceWay) => `${source} ${path[0]?.address}`

function pathOf({ path }: PriceWay, ways: readonly PriceWay[], links: number): PriceStep[] {
  const last = path.at(-1)
  const { quote, quoteUsd } = last ?? {}
  if (quote === undefined || quoteUsd === undefined) return [...path]
  const next = ways.find((way) => way.token === quote && way.refusal === undefined && way.usd.eq(quoteUsd))
  if (next && links > 0) return [...path, ...pathOf(next, ways, links - 1)]
  return [...path, { kind: 'listing', rate: quoteUsd }]
}

export function listingWay(price: Price, ways: readonly PriceWay[]): PriceWay[] {
  const { token, source, usd, confidence, asOf, block } = price
  if (ways.some((way) => way.token === token && way.source === source)) return []
  const when = { ...(asOf !== undefined && { updatedAt: asOf }), ...(block !== undefined && { block }) }
  return [{ token, source, usd, confidence, path: [{ kind: 'listing', rate: usd, ...when }] }]
}
