import { type Decimal, decimal } from '../domain/decimal.ts'
import type { PriceFacts, PriceStep, PriceWay } from './price-way.ts'

/** Rules: docs/prices.md. */
export type Confidence =
  | { level: 'high'; reason: 'set-by-operator' | 'fresh-feed' | 'sources-agree' | 'as-its-parts' }
  | { level: 'medium'; reason: 'deep-pool' | 'oracle-without-time' | 'one-service' | 'as-its-parts' }
  | { level: 'low'; reason: 'sources-disagree' | 'old-feed' | 'thin-pool' | 'unsure-service' | 'as-its-parts' }
  | {
      level: 'none'
      reason: 'spam' | 'source-failed' | 'stale-feed' | 'no-market' | 'strayed-pool' | 'unsure' | 'unknown'
    }

/** Moving the price by a few per cent costs thousands of dollars. */
const DEEP_USD = decimal('250000')
const AGREE_PERCENT = decimal('1')
const DISAGREE_PERCENT = decimal('5')
const SURE = 0.8
const GRACE_SECONDS = 30
const HUNDRED = decimal('100')

export function usedWay({ price, ways }: PriceFacts): PriceWay | undefined {
  return ways.find(({ source, refusal }) => source === price?.source && refusal === undefined)
}

export function deviationPercent({ usd }: Worth, from: Worth): Decimal | undefined {
  return from.usd.eq(0) ? undefined : usd.minus(from.usd).div(from.usd).times(HUNDRED)
}

type Worth = { usd: Decimal }

export function confidenceOf(facts: PriceFacts): Confidence {
  const { price, parts } = facts
  if (!price) return { level: 'none', reason: whyNone(facts) }
  if (parts.length > 0) return ofParts(price, facts)
  const used = usedWay(facts)
  if (!used) return { level: 'low', reason: 'as-its-parts' }
  return ofWay(used, facts)
}

function ofWay(used: PriceWay, { ways, block }: PriceFacts): Confidence {
  const [first] = used.path
  if (!first || first.kind === 'set') return { level: 'high', reason: 'set-by-operator' }
  const others = ways.filter((way) => way !== used && isSound(way, block?.time))
  if (others.some((way) => isBeyond(way, used, DISAGREE_PERCENT))) return { level: 'low', reason: 'sources-disagree' }
  const agreeing = others.filter((way) => !isBeyond(way, used, AGREE_PERCENT))
  if ([used, ...agreeing].some((way) => isFreshFeed(way, block?.time))) return { level: 'high', reason: 'fresh-feed' }
  if (hasOldFeed(used, block?.time)) return { level: 'low', reason: 'old-feed' }
  if (agreeing.some((way) => basisOf(way) !== basisOf(used))) return { level: 'high', reason: 'sources-agree' }
  if (!isSound(used, block?.time))
    return { level: 'low', reason: basisOf(used) === 'market' ? 'thin-pool' : 'unsure-service' }
  if (first.kind === 'oracle') return { level: 'medium', reason: 'oracle-without-time' }
  return { level: 'medium', reason: first.kind === 'pool' ? 'deep-pool' : 'one-service' }
}

function ofParts(price: Worth, { parts, ways, block }: PriceFacts): Confidence {
  const others = ways.filter((way) => isSound(way, block?.time))
  if (others.some((way) => isBeyond(way, price, DISAGREE_PERCENT))) return { level: 'low', reason: 'sources-disagree' }
  const levels = new Set(parts.map(({ facts }) => confidenceOf(facts).level))
  const level = (['none', 'low', 'medium', 'high'] as const).find((each) => levels.has(each)) ?? 'low'
  return { level: level === 'none' ? 'low' : level, reason: 'as-its-parts' }
}

function basisOf({ path }: PriceWay): 'oracle' | 'market' | 'service' | 'operator' {
  switch (path[0]?.kind) {
    case 'feed':
    case 'oracle':
      return 'oracle'
    case 'pool':
    case 'markets':
      return 'market'
    case 'set':
      return 'operator'
    default:
      return 'service'
  }
}

/** Anyone can make a pool. */
function isSound(way: PriceWay, time: number | undefined): boolean {
  if (way.refusal !== undefined || hasOldFeed(way, time)) return false
  const pools = way.path.filter(({ kind }) => kind === 'pool')
  if (pools.length > 0) return pools.every(({ depthUsd }) => depthUsd?.gte(DEEP_USD))
  return basisOf(way) === 'oracle' || (basisOf(way) !== 'operator' && way.confidence >= SURE)
}

const isBeyond = (way: PriceWay, from: Worth, percent: Decimal): boolean =>
  deviationPercent(way, from)?.abs().gt(percent) ?? !way.usd.eq(0)

const isFreshFeed = (way: PriceWay, time: number | undefined): boolean =>
  way.refusal === undefined && way.path.every(({ kind }) => kind === 'feed') && !hasOldFeed(way, time)

const hasOldFeed = ({ path }: PriceWay, time: number | undefined): boolean => path.some((step) => isOld(step, time))

function isOld({ kind, updatedAt, heartbeatSeconds }: PriceStep, time: number | undefined): boolean {
  if (kind !== 'feed' || updatedAt === undefined || heartbeatSeconds === undefined) return false
  return time === undefined || time - updatedAt > heartbeatSeconds + GRACE_SECONDS
}

function whyNone({ isSpam, ways, sources }: PriceFacts): Extract<Confidence, { level: 'none' }>['reason'] {
  if (isSpam) return 'spam'
  const refused = new Set(ways.map(({ refusal }) => refusal))
  if (refused.has('stale')) return 'stale-feed'
  if (refused.has('strayed')) return 'strayed-pool'
  if (refused.has('invalid')) return 'source-failed'
  if (ways.some(({ refusal }) => refusal === undefined)) return 'unsure'
  if (sources.some(({ outcome }) => outcome !== 'answered' && outcome !== 'unknown')) return 'source-failed'
  return refused.size > 0 ? 'no-market' : 'unknown'
}
