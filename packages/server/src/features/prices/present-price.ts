import type { PriceWhyView } from '@coffer/contract/portal'
import type { NoFacts } from '../../chains/shared/explain-price.ts'
import { type Decimal, decimal, formatDecimal, roundPrice } from '../../domain/decimal.ts'
import type { Token } from '../../domain/token.ts'
import { confidenceOf, deviationPercent, usedWay } from '../../prices/price-confidence.ts'
import type { PriceFacts } from '../../prices/price-facts.ts'
import type { PriceStep, PriceWay } from '../../prices/price-way.ts'

type Way = NonNullable<PriceWhyView['used']>
type Step = Way['path'][number]

/** Significant digits of quotients. */
const DIGITS = 30
const PERCENT_PLACES = 4
const MILLIONTHS_PER_PERCENT = decimal('10000')

const TOLD: ReadonlySet<string> = new Set(['answered', 'unknown', 'invalid'])

/** `readAt`: Unix milliseconds. */
type Asked = { chain: string; amount: Decimal; readAt: number }

export function presentPrice({ chain, amount, readAt }: Asked, found: PriceFacts | NoFacts): PriceWhyView {
  const asked = { chain, amount: formatDecimal(amount), readAt: momentOf(readAt / 1000) }
  if ('failure' in found) return { ...asked, ...WITHOUT_FACTS, ...whyWithout(found.failure) }
  const { token, price, ways, sources, block, parts } = found
  const used = usedWay(found)
  const show = (way: PriceWay) => wayOf(way, used ?? price, block?.time)
  return {
    ...asked,
    ...figureOf(found),
    token: tokenOf(token),
    used: used ? show(used) : null,
    others: ways.filter((way) => way !== used).map(show),
    parts: parts.map((part) => ({
      amount: figure(part.amount),
      token: tokenOf(part.facts.token),
      ...figureOf(part.facts),
    })),
    sources: sources.map(({ source, outcome }) => ({ name: source, outcome })),
    block: block ? block.number.toString() : null,
    blockTime: block ? momentOf(block.time) : null,
    isPartial: isPartial(found),
  }
}

const WITHOUT_FACTS = {
  token: null,
  price: 'N/A',
  source: null,
  used: null,
  others: [],
  parts: [],
  sources: [],
  block: null,
  blockTime: null,
} satisfies Partial<PriceWhyView>

function whyWithout(failure: NoFacts['failure']): Pick<PriceWhyView, 'confidence' | 'isPartial'> {
  const reason = failure === 'not-a-token' ? failure : 'source-failed'
  return { confidence: { level: 'none', reason }, isPartial: reason === 'source-failed' }
}

function isPartial({ sources, block, isCut, isSpam, parts }: PriceFacts): boolean {
  const isSilent = sources.some(({ outcome }) => !TOLD.has(outcome))
  return isSilent || isCut || (!block && !isSpam) || parts.some(({ facts }) => isPartial(facts))
}

function figureOf(facts: PriceFacts): Pick<PriceWhyView, 'price' | 'source' | 'confidence'> {
  const { price } = facts
  return {
    price: price ? formatDecimal(price.usd) : 'N/A',
    source: price?.source ?? null,
    confidence: confidenceOf(facts),
  }
}

const tokenOf = ({ address, symbol, name, listed }: Token) => ({ address, symbol, name, isListed: listed })

/** `time`: of the chain, in Unix seconds. */
function wayOf(way: PriceWay, from: { usd: Decimal } | undefined, time: number | undefined): Way {
  const deviation = from && deviationPercent(way, from)
  return {
    source: way.source,
    usd: formatDecimal(roundPrice(way.usd)),
    deviationPercent: deviation ? formatDecimal(deviation.round(PERCENT_PLACES)) : 'N/A',
    refusal: way.refusal ?? null,
    path: way.path.map((step) => stepOf(step, time)),
  }
}

function stepOf(step: PriceStep, time: number | undefined): Step {
  const { kind, address, rate, quote, block, updatedAt, heartbeatSeconds, depthUsd, feeMillionths } = step
  const isTimed = updatedAt !== undefined && time !== undefined
  return {
    kind,
    address: address ?? null,
    rate: figure(rate),
    quote: quote ?? null,
    block: block === undefined ? null : block.toString(),
    time: updatedAt === undefined ? null : momentOf(updatedAt),
    ageSeconds: isTimed ? Math.max(0, time - updatedAt) : null,
    heartbeatSeconds: heartbeatSeconds ?? null,
    depthUsd: depthUsd ? figure(depthUsd) : null,
    feePercent:
      feeMillionths === undefined ? null : formatDecimal(decimal(BigInt(feeMillionths)).div(MILLIONTHS_PER_PERCENT)),
  }
}

const figure = (value: Decimal): string => formatDecimal(value.prec(DIGITS))

const momentOf = (seconds: number): string => new Date(Math.floor(seconds) * 1000).toISOString().replace('.000Z', 'Z')
