import type { Address } from '../domain/address.ts'
import { type Decimal, fromRaw, roundPrice, ZERO } from '../domain/decimal.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import type { Quote } from './price-source.ts'

/** How a token's price is known: by a source's quote, or as the sum of what `probeRaw` of it stands for. */
export type Resolution =
  | { token: Token; quote: Quote }
  | { token: Token; probeRaw: bigint; parts: readonly { amountRaw: bigint; of: Resolution }[] }

/** Total holdings of each quoted token, direct and behind receipts: what one sale would bring to the market. */
export type Demand = Map<Address, bigint>

export function addDemand(demand: Demand, resolution: Resolution, amountRaw: bigint): void {
  if ('quote' in resolution) {
    const { address } = resolution.token
    demand.set(address, (demand.get(address) ?? 0n) + amountRaw)
    return
  }
  for (const part of resolution.parts) {
    addDemand(demand, part.of, (amountRaw * part.amountRaw) / resolution.probeRaw)
  }
}

/** The price that is shown: never above what the market would pay for all that is held, rounded to 18 decimals. */
export function priceOf(resolution: Resolution, demand: Demand): Price {
  const price = exactPrice(resolution, demand)
  return { ...price, usd: roundPrice(price.usd) }
}

function exactPrice(resolution: Resolution, demand: Demand): Price {
  return 'quote' in resolution ? capped(resolution, demand) : sumOfParts(resolution, demand)
}

function capped({ token, quote }: Extract<Resolution, { quote: Quote }>, demand: Demand): Price {
  const amountRaw = demand.get(token.address) ?? 0n
  if (!quote.proceeds || amountRaw <= 0n) return quote.price
  const perUnit = quote.proceeds(amountRaw).div(fromRaw(amountRaw, token.decimals))
  return perUnit.lt(quote.price.usd) ? { ...quote.price, usd: perUnit } : quote.price
}

function sumOfParts(receipt: Exclude<Resolution, { quote: Quote }>, demand: Demand): Price {
  const parts = receipt.parts.map(({ amountRaw, of }) => ({
    amount: fromRaw(amountRaw, of.token.decimals),
    price: exactPrice(of, demand),
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
