import { Failure } from '@coffer/contract'
import type { PriceWhyView } from '@coffer/contract/portal'
import { findChain } from '../../chains/chain-catalog.ts'
import type { ChainTypes } from '../../chains/chain-type.ts'
import type { NoFacts } from '../../chains/shared/explain-price.ts'
import { type Decimal, decimal, formatDecimal, roundPrice } from '../../domain/decimal.ts'
import type { Token } from '../../domain/token.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import { confidenceOf, deviationPercent, usedWay } from '../../prices/price-confidence.ts'
import type { PriceFacts, PriceStep, PriceWay } from '../../prices/price-way.ts'
import type { Reading } from '../../wallets/create-reading.ts'
import type { Module, Ports } from '../module.ts'

export function priceModule(ports: Ports) {
  const explain = createExplainPrices(ports)
  return { portal: { explainPrice: ({ query }) => explain(query) } } satisfies Module
}

const KEPT_MS = 10_000
const MOST_KEPT = 500

type Asked = { chain: string; token: string; amount: string; holder?: string | undefined }
type PriceContext = { chainTypes: ChainTypes; reading: Reading; clock: Clock }

/** Throws VALIDATION_ERROR for a chain that is not enabled, or an address of another. */
export function createExplainPrices({ chainTypes, reading, clock }: PriceContext) {
  const kept = createKept<PriceWhyView>({ clock, freshMs: KEPT_MS, most: MOST_KEPT })

  return async (asked: Asked): Promise<PriceWhyView> => {
    const chain = findChain(asked.chain, reading.enabled)
    const explain = chain && reading.readingOf(chain.key)?.explainPrice
    if (!explain) throw new Failure('VALIDATION_ERROR', `chain: ${asked.chain} is not enabled here`)
    const chainType = chainTypes.of(chain)
    const addressIn = (field: string, text: string) => {
      if (chainType.ownsAddress(text)) return chainType.spell(text)
      throw new Failure('VALIDATION_ERROR', `${field}: must be ${chainType.addressForm.described}`)
    }
    const token = addressIn('token', asked.token)
    const owner = asked.holder === undefined ? undefined : addressIn('holder', asked.holder)
    const amount = decimal(asked.amount)
    return kept.get(`${chain.key} ${token} ${formatDecimal(amount)} ${owner}`, async () => {
      const facts = await explain(chain.key, { token, amount, owner })
      return presentPrice({ chain: chain.key, amount, readAt: clock.now() }, facts)
    })
  }
}

type Way = NonNullable<PriceWhyView['used']>

/** Significant digits of quotients. */
const DIGITS = 30
const PERCENT_PLACES = 4
const MILLIONTHS_PER_PERCENT = decimal('10000')

const REPORTED: ReadonlySet<string> = new Set(['answered', 'unknown', 'invalid'])

/** `readAt`: Unix milliseconds. */
type PricedAmount = { chain: string; amount: Decimal; readAt: number }

function presentPrice({ chain, amount, readAt }: PricedAmount, found: PriceFacts | NoFacts): PriceWhyView {
  const asked = { chain, amount: formatDecimal(amount), readAt: momentOf(readAt / 1000) }
  if ('failure' in found) {
    const reason = found.failure === 'not-a-token' ? found.failure : 'source-failed'
    return { ...asked, ...WITHOUT_FACTS, confidence: { level: 'none', reason }, isPartial: reason === 'source-failed' }
  }
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

function isPartial({ sources, block, isCut, isSpam, parts }: PriceFacts): boolean {
  const isSilent = sources.some(({ outcome }) => !REPORTED.has(outcome))
  return isSilent || isCut || (!block && !isSpam) || parts.some(({ facts }) => isPartial(facts))
}

function figureOf(facts: PriceFacts) {
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

function stepOf(step: PriceStep, time: number | undefined): Way['path'][number] {
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
