import type { Address } from '../domain/address.ts'
import { type Decimal, fromRaw, roundPrice, ZERO } from '../domain/decimal.ts'
import type { Backing, LiquidityBudget } from '../domain/liquidity.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import type { PriceQuery, Quote, SourceTraits } from './price-source.ts'

export type Resolution = { token: Token; quote: Quote } | Receipt

type Receipt = { token: Token; probeRaw: bigint; parts: readonly Part[] }
type Part = { amountRaw: bigint; of: Resolution; backing?: Backing | undefined }

/** One sale would bring all holdings to the market together. */
export class Demand {
  readonly #quoted = new Map<Address, bigint>()
  readonly #receipts = new Map<Address, bigint>()
  readonly #parts = new Map<string, { wantedRaw: bigint; paidRaw: bigint }>()
  readonly #budget: LiquidityBudget

  constructor(budget: LiquidityBudget) {
    this.#budget = budget
  }

  add(resolution: Resolution, amountRaw: bigint): void {
    const { address } = resolution.token
    if ('quote' in resolution) {
      this.#quoted.set(address, this.quotedRaw(address) + amountRaw)
      return
    }
    this.#receipts.set(address, (this.#receipts.get(address) ?? 0n) + amountRaw)
    for (const part of resolution.parts) {
      const wantedRaw = (amountRaw * part.amountRaw) / resolution.probeRaw
      this.add(part.of, part.backing ? this.#take(resolution, part, wantedRaw, part.backing) : wantedRaw)
    }
  }

  #take({ token }: Receipt, { of }: Part, wantedRaw: bigint, backing: Backing): bigint {
    const paidRaw = this.#budget.take(wantedRaw, backing)
    const before = this.#parts.get(partName(token, of.token))
    this.#parts.set(partName(token, of.token), {
      wantedRaw: (before?.wantedRaw ?? 0n) + wantedRaw,
      paidRaw: (before?.paidRaw ?? 0n) + paidRaw,
    })
    return paidRaw
  }

  quotedRaw(token: Address): bigint {
    return this.#quoted.get(token) ?? 0n
  }

  /** 0 to 1. */
  paidShare({ token }: Receipt, { of, backing }: Part): Decimal {
    if (!backing) return ALL
    const { supplyRaw } = backing
    if (supplyRaw !== undefined && (this.#receipts.get(token.address) ?? 0n) > supplyRaw) return ZERO
    const { wantedRaw, paidRaw } = this.#parts.get(partName(token, of.token)) ?? NONE
    // Counts no more than was paid.
    return paidRaw === wantedRaw ? ALL : fromRaw((paidRaw * 10n ** SHARE_DIGITS) / wantedRaw, Number(SHARE_DIGITS))
  }
}

const SHARE_DIGITS = 60n
const ALL = fromRaw(1n, 0)
const NONE = { wantedRaw: 0n, paidRaw: 0n }

const partName = (receipt: Token, part: Token) => `${receipt.address} ${part.address}`

/** Never above what the market would pay for all holdings. Undefined: a receipt pays nothing. */
export function priceOf(resolution: Resolution, demand: Demand): Price | undefined {
  const price = exactPrice(resolution, demand)
  const isPaid = 'quote' in resolution || !resolution.parts.every((part) => demand.paidShare(resolution, part).eq(ZERO))
  return isPaid ? { ...price, usd: roundPrice(price.usd) } : undefined
}

function exactPrice(resolution: Resolution, demand: Demand): Price {
  return 'quote' in resolution ? capped(resolution, demand) : sumOfParts(resolution, demand)
}

function capped({ token, quote }: Extract<Resolution, { quote: Quote }>, demand: Demand): Price {
  const amountRaw = demand.quotedRaw(token.address)
  if (!quote.proceeds || amountRaw <= 0n) return quote.price
  const perUnit = quote.proceeds(amountRaw).div(fromRaw(amountRaw, token.decimals))
  return perUnit.lt(quote.price.usd) ? { ...quote.price, usd: perUnit } : quote.price
}

function sumOfParts(receipt: Receipt, demand: Demand): Price {
  const parts = receipt.parts.map((part) => ({
    amount: fromRaw(part.amountRaw, part.of.token.decimals).times(demand.paidShare(receipt, part)),
    price: exactPrice(part.of, demand),
  }))
  const worth = parts.reduce<Decimal>((total, { amount, price }) => total.plus(amount.times(price.usd)), ZERO)
  const asOf = parts.flatMap(({ price }) => price.asOf ?? [])
  const [block] = parts.flatMap(({ price }) => price.block ?? [])
  return {
    chain: receipt.token.chain,
    token: receipt.token.address,
    usd: worth.div(fromRaw(receipt.probeRaw, receipt.token.decimals)),
    source: 'receipt',
    confidence: Math.min(1, ...parts.map(({ price }) => price.confidence)),
    ...(asOf.length > 0 && { asOf: Math.min(...asOf) }),
    ...(block !== undefined && { block }),
  }
}

/** Undefined: unknown token. */
export type Answer = { quote: Quote } | { error: unknown } | undefined

export class SourceLine {
  readonly source: SourceTraits
  readonly #query: PriceQuery
  readonly #answers = new Map<Address, Promise<Answer>>()
  #waiting: { token: Token; settle: (answer: Answer) => void }[] = []

  constructor(source: SourceTraits, query: PriceQuery) {
    this.source = source
    this.#query = query
  }

  expects(token: Address): boolean {
    return this.#query.expects(token)
  }

  /** Never rejects. */
  ask(token: Token): Promise<Answer> {
    const known = this.#answers.get(token.address)
    if (known) return known
    if (this.#waiting.length === 0) queueMicrotask(() => this.flush())
    const answer = new Promise<Answer>((settle) => this.#waiting.push({ token, settle }))
    this.#answers.set(token.address, answer)
    return answer
  }

  /** Reads leave with this tick. */
  flush(): void {
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length > 0) void this.#send(batch)
  }

  async #send(batch: readonly { token: Token; settle: (answer: Answer) => void }[]): Promise<void> {
    try {
      const quotes = await this.#query.quote(batch.map(({ token }) => token))
      for (const { token, settle } of batch) {
        const said = quotes.get(token.address)
        settle(said && (said instanceof UpstreamError ? { error: said } : { quote: said }))
      }
    } catch (error) {
      for (const { settle } of batch) settle({ error })
    }
  }
}
