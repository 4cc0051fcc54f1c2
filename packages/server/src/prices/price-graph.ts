import type { Address } from '../domain/address.ts'
import { type Decimal, fromRaw } from '../domain/decimal.ts'
import { type Backing, LiquidityBudget } from '../domain/liquidity.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import type { WarnLog } from '../lib/logger.ts'
import { isNodeFailure } from '../lib/upstream-error.ts'
import type { Anchors, PriceRequest, PriceScope, PriceSource, Quote } from './price-source.ts'
import { NO_RECEIPTS, type ReceiptDirectory } from './receipts.ts'
import { type Answer, Demand, priceOf, type Resolution, SourceLine } from './resolution.ts'

/** Place of receipt tokens in the order of sources. */
export const RECEIPT = 'receipt'

/** A farm of a vault of a pool of a vault is four. */
const MAX_RECEIPT_DEPTH = 5
/** A receipt of 18 decimals over a token of 6 keeps twelve digits. */
const PROBE_UNITS = 10n ** 6n
/** Aggregators give spam less. */
const MIN_CONFIDENCE = 0.2
/** Anyone can send unlisted tokens to a wallet. */
const MIN_CONFIDENCE_UNLISTED = 0.5

type Sources<R> = readonly (PriceSource<R> | typeof RECEIPT)[]
type OpenScope<R> = Omit<PriceScope<R>, 'anchors'>

/** The first answer with sufficient confidence wins. */
export type PriceGraph<R> = {
  /** A token without a price is unknown, not worthless. */
  open(scope: OpenScope<R>, receipts?: ReceiptDirectory): PriceSession & PriceInquiry
}

export type PriceSession = {
  /** Call once with all holdings: one pool takes them together. `budget`: payments left to untrusted contracts. */
  price(requests: readonly PriceRequest[], budget?: LiquidityBudget): Promise<ReadonlyMap<Address, Price>>
  /** Unix seconds. Undefined: any block may change it. */
  changedAt(token: Address): number | undefined
  /** The last known price is better than none. */
  unsettled(): ReadonlySet<Address>
  failedSources(): ReadonlySet<string>
}

type PriceInquiry = {
  /** In the operator's order. */
  ask(token: Token): { source: string; answer: Promise<Answer> }[]
  needsMarket(token: Address): boolean
  /** Underlyings of one unit. */
  partsOf(token: Address): { token: Token; amount: Decimal }[] | undefined
}

export function createPriceGraph<R>({ sources, log }: { sources: Sources<R>; log: WarnLog }): PriceGraph<R> {
  const certain = namesBeforeMarkets(sources)
  return {
    open(scope, receipts = NO_RECEIPTS) {
      const failures = createFailures(log, scope)
      const steps = openSteps(sources, scope)
      const resolving = { steps, receipts, failures, decompositions: new Map() }
      const answered = new Map<Address, Resolution | undefined>()
      return {
        async price(requests, budget = new LiquidityBudget()) {
          const held = mergeRequests(requests)
          const pending = held.map(({ token }) => resolve(resolving, token, []))
          for (const step of steps) if (step !== RECEIPT) step.flush()
          const resolutions = await Promise.all(pending)
          for (const [index, { token }] of held.entries()) answered.set(token.address, resolutions[index])
          return valued(held, resolutions, new Demand(budget))
        },
        needsMarket: (token) =>
          receipts.underlyings(token) === undefined && !steps.some((step) => step !== RECEIPT && step.expects(token)),
        changedAt(token) {
          const resolution = answered.get(token)
          if (!resolution || !('quote' in resolution)) return undefined
          const { price, changedAt } = resolution.quote
          const mayHaveOther = receipts.underlyings(token) !== undefined || failures.tokens.has(token)
          return mayHaveOther || !certain.has(price.source) ? undefined : changedAt
        },
        unsettled: () =>
          new Set([...answered].flatMap(([token, found]) => (!found && failures.tokens.has(token) ? [token] : []))),
        failedSources: () => failures.sources,
        ask: (token) =>
          steps.flatMap((step) => (step === RECEIPT ? [] : [{ source: step.source.name, answer: step.ask(token) }])),
        partsOf: (token) => perUnit(answered.get(token)),
      }
    },
  }
}

function namesBeforeMarkets<R>(sources: Sources<R>): ReadonlySet<string> {
  const end = sources.findIndex((source) => source !== RECEIPT && !source.byRow)
  const before = end < 0 ? sources : sources.slice(0, end)
  return new Set(before.flatMap((source) => (source === RECEIPT ? [] : [source.name])))
}

type Step = SourceLine | typeof RECEIPT

function openSteps<R>(sources: Sources<R>, scope: OpenScope<R>): Step[] {
  const steps: Step[] = []
  for (const [index, source] of sources.entries()) {
    if (source === RECEIPT) steps.push(RECEIPT)
    else {
      const others = () => steps.filter((step, at) => step !== RECEIPT && at !== index) as SourceLine[]
      steps.push(new SourceLine(source, source.open({ ...scope, anchors: anchorsAmong(others) })))
    }
  }
  return steps
}

function anchorsAmong(others: () => SourceLine[]): Anchors {
  return {
    expects: (token) => others().some((line) => line.expects(token)),
    async price(token) {
      for (const group of groups(others(), (line) => line.expects(token.address))) {
        const answers = group.map((line) => line.ask(token))
        for (const asked of answers) {
          const answer = await asked
          if (answer && 'quote' in answer && sufficient(token, answer.quote.price)) return answer.quote.price
        }
      }
      return undefined
    },
  }
}

type Resolving = {
  steps: readonly Step[]
  receipts: ReceiptDirectory
  failures: Failures
  decompositions: Map<Address, ReturnType<ReceiptDirectory['decompose']>>
}

type Resolved = Promise<Resolution | undefined>

function resolve(context: Resolving, token: Token, path: readonly Address[]): Resolved {
  const { address } = token
  const expects = (step: Step) =>
    step === RECEIPT ? context.receipts.underlyings(address) !== undefined : step.expects(address)
  const attempt = (step: Step) =>
    step === RECEIPT ? behindReceipt(context, token, path) : quoted(context, step, token)
  const mayKnowAny = (step: Step) => step !== RECEIPT && !step.source.byRow
  const possible = context.steps.filter((step) => mayKnowAny(step) || expects(step))
  const [only] = possible
  return only && possible.length === 1 ? attempt(only) : firstOf(groups(possible, expects), attempt)
}

async function firstOf(steps: Iterable<readonly Step[]>, attempt: (step: Step) => Resolved): Resolved {
  for (const group of steps) {
    const tried = group.map(attempt)
    for (const each of tried) {
      const resolution = await each
      if (resolution) return resolution
    }
  }
  return undefined
}

async function quoted({ failures }: Resolving, line: SourceLine, token: Token): Resolved {
  const answer = await line.ask(token)
  if (answer === undefined) return undefined
  if ('error' in answer) {
    // An untrusted token that refuses is no failure of the source.
    if (token.listed || isNodeFailure(answer.error)) failures.add(line.source.name, token.address, answer.error)
    return undefined
  }
  return sufficient(token, answer.quote.price) ? { token, quote: perStored(line, token, answer.quote) } : undefined
}

async function behindReceipt(context: Resolving, token: Token, path: readonly Address[]): Resolved {
  const { receipts, failures, decompositions } = context
  const hints = receipts.underlyings(token.address)
  if (hints === undefined || path.length >= MAX_RECEIPT_DEPTH || path.includes(token.address)) return undefined
  const resolveAt = async (address: Address) => {
    const part = receipts.token(address)
    const resolution = part && (await resolve(context, part, [...path, token.address]))
    if (!resolution) failures.inherit(token.address, address)
    return resolution
  }
  const probeRaw = PROBE_UNITS * 10n ** BigInt(token.decimals)
  try {
    const reading = decompositions.get(token.address) ?? receipts.decompose(token.address, probeRaw)
    decompositions.set(token.address, reading)
    for (const address of hints) void resolveAt(address)
    const amounts = ((await reading) ?? []).filter(({ amountRaw }) => amountRaw > 0n)
    const parts = await Promise.all(
      amounts.map(async ({ token: address, ...part }) => ({ ...part, of: await resolveAt(address) })),
    )
    return parts.length > 0 && parts.every(isPriced) ? { token, probeRaw, parts } : undefined
  } catch (error) {
    failures.add(RECEIPT, token.address, error)
    return undefined
  }
}

function perStored({ source }: SourceLine, { multiplier }: Token, quote: Quote): Quote {
  if (multiplier === undefined || source.perStored) return quote
  return { ...quote, price: { ...quote.price, usd: quote.price.usd.times(multiplier) } }
}

type Part<R> = { amountRaw: bigint; backing?: Backing; of: R }

function isPriced(part: Part<Resolution | undefined>): part is Part<Resolution> {
  return part.of !== undefined
}

function* groups<S>(steps: readonly S[], expects: (step: S) => boolean): Generator<readonly S[]> {
  let rest = steps
  while (rest.length > 0) {
    const certain = rest.findIndex(expects)
    const size = certain < 0 ? rest.length : certain + 1
    yield rest.slice(0, size)
    rest = rest.slice(size)
  }
}

function sufficient(token: Token, price: Price): boolean {
  return price.confidence >= (token.listed ? MIN_CONFIDENCE : MIN_CONFIDENCE_UNLISTED)
}

function mergeRequests(requests: readonly PriceRequest[]): PriceRequest[] {
  const merged = new Map<Address, PriceRequest>()
  for (const { token, amountRaw } of requests) {
    merged.set(token.address, { token, amountRaw: (merged.get(token.address)?.amountRaw ?? 0n) + amountRaw })
  }
  return [...merged.values()]
}

function valued(
  held: readonly PriceRequest[],
  resolutions: readonly (Resolution | undefined)[],
  demand: Demand,
): Map<Address, Price> {
  for (const [index, { amountRaw }] of held.entries()) {
    const resolution = resolutions[index]
    if (resolution) demand.add(resolution, amountRaw)
  }
  const prices = new Map<Address, Price>()
  for (const resolution of resolutions) {
    const price = resolution && priceOf(resolution, demand)
    if (price) prices.set(price.token, price)
  }
  return prices
}

function perUnit(resolution: Resolution | undefined) {
  if (!resolution || 'quote' in resolution) return undefined
  const units = fromRaw(resolution.probeRaw, resolution.token.decimals)
  return resolution.parts.map(({ amountRaw, of: { token } }) => ({
    token,
    amount: fromRaw(amountRaw, token.decimals).div(units),
  }))
}

type Failures = ReturnType<typeof createFailures>

function createFailures(log: WarnLog, { chain, isExpected, isLasting }: OpenScope<unknown>) {
  const tokens = new Set<Address>()
  const sources = new Set<string>()
  return {
    tokens,
    sources,
    add(source: string, token: Address, error: unknown): void {
      if (isLasting?.(error)) return
      tokens.add(token)
      if (sources.has(source)) return
      sources.add(source)
      if (isExpected?.(error)) return
      const reason = error instanceof Error ? error.message : String(error)
      log.warn(
        { chain: chain.key, source, token, reason },
        'a price source failed; tokens that no other source prices show their last price or none: check the source',
      )
    },
    inherit(receipt: Address, underlying: Address): void {
      if (tokens.has(underlying)) tokens.add(receipt)
    },
  }
}
