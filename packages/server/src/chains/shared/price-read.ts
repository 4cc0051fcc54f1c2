import type { Address } from '../../domain/address.ts'
import type { LiquidityBudget } from '../../domain/liquidity.ts'
import type { Position, TokenAmount } from '../../domain/position.ts'
import type { Price } from '../../domain/price.ts'
import type { Holding, ReadGap } from '../../domain/wallet-read.ts'
import type { PriceSession } from '../../prices/price-graph.ts'
import type { KnownTokens } from '../tokens.ts'

/** Debts have amount 0: they need a price, but no pool takes them. */
export const amountsOf = ({ supplied, borrowed, rewards }: Position): TokenAmount[] => [
  ...supplied,
  ...rewards,
  ...borrowed.map(({ token }) => ({ token, amountRaw: 0n })),
]

/** Untrusted tokens without decimals are no gap. */
export function unreported(
  positions: readonly Position[],
  tokens: KnownTokens,
  trust: { token(address: Address): boolean },
): ReadGap[] {
  return positions
    .filter((position) => amountsOf(position).some(({ token }) => !tokens.find(token) && trust.token(token)))
    .map(({ protocol }) => ({ protocol, reason: 'unreadable' }))
}

/** Shares requests with position reads. Never rejects. */
export async function askAhead(
  session: PriceSession,
  tokens: KnownTokens,
  holdings: readonly Holding[],
): Promise<unknown> {
  return session.price(requests(tokens, holdings))
}

/** Held tokens and those in positions together, as a pool would take both. Receipts apart, or they would count twice. */
export async function priceRead(
  session: PriceSession,
  tokens: KnownTokens,
  {
    holdings,
    inside,
    before,
    budget,
  }: {
    holdings: readonly Holding[]
    inside: readonly Amount[]
    before: readonly Price[] | undefined
    budget?: LiquidityBudget
  },
): Promise<{ prices: Price[]; gaps: ReadGap[] }> {
  const receipts = holdings.filter((holding) => holding.receipt)
  const owned = [...holdings.filter((holding) => !holding.receipt), ...inside]
  const [wantedOwned, wantedReceipts] = [requests(tokens, owned), requests(tokens, receipts)]
  const [ofOwned, ofReceipts] = await Promise.all([session.price(wantedOwned, budget), session.price(wantedReceipts)])
  // A price of all shares would also pay those that a position leaves unpaid.
  const remaining = new Set(wantedOwned.map(({ token }) => token.address))
  const prices = new Map([...[...ofReceipts].filter(([address]) => !remaining.has(address)), ...ofOwned])
  const gaps = new Set<ReadGap['reason']>()
  const unsettled = session.unsettled()
  for (const address of [...wantedOwned, ...wantedReceipts].map(({ token }) => token.address)) {
    if (prices.has(address) || !unsettled.has(address)) continue
    const last = before?.find((price) => price.token === address)
    if (last) prices.set(address, last)
    gaps.add(last ? 'stale' : 'unreadable')
  }
  return { prices: [...prices.values()], gaps: [...gaps].map((reason) => ({ reason })) }
}

type Amount = TokenAmount & { receipt?: boolean }

/** Spam is never priced; a protocol's receipt is never spam. */
function requests(tokens: KnownTokens, amounts: readonly Amount[]) {
  const totals = new Map<Address, bigint>()
  for (const { token, amountRaw } of amounts) totals.set(token, (totals.get(token) ?? 0n) + amountRaw)
  const receipts = new Set(amounts.filter((amount) => amount.receipt).map((amount) => amount.token))
  return [...totals].flatMap(([address, amountRaw]) => {
    const token = tokens.find(address)
    return token && (receipts.has(address) || !tokens.isSpam(token)) ? [{ token, amountRaw }] : []
  })
}
