import type { Exchange as CcxtExchange } from 'ccxt'
import { z } from 'zod'
import { type Decimal, decimal, ZERO } from '../domain/decimal.ts'
import type { ExchangeAccountKind, ExchangeGap, KeyPermissions } from './exchange.ts'

export function codeOf(client: CcxtExchange, id: string): string {
  return client.safeCurrencyCode(id) ?? id
}

export function isListed(client: CcxtExchange, code: string): boolean {
  return client.currencies?.[code] !== undefined
}

export type SignedIn<Client = CcxtExchange> = {
  /** Markets are loaded, except in `permissions`. */
  client: Client
  /** Repeats once after a wrong nonce or time. */
  call<T>(request: () => Promise<T>): Promise<T>
  attempt(account: ExchangeAccountKind, read: () => Promise<Holding[]>): Promise<Holding[] | ExchangeGap>
}

/** Throws ccxt's errors, or others on an unexpected shape. */
export type AccountReader = {
  settings: Readonly<Record<string, unknown>>
  /** Nonces need not be the time. */
  hasGrowingNonces: boolean
  marketParams: Readonly<Record<string, unknown>>
  permissions(account: SignedIn): Promise<KeyPermissions>
  /** Reads the main account first: if it fails, nothing is known. */
  read(account: SignedIn): Promise<(Holding[] | ExchangeGap)[]>
}

export type Holding = { account: ExchangeAccountKind; code: string; owned: Decimal; borrowed: Decimal }

/** A negative `owned` becomes debt, a negative `borrowed` an asset. */
export function tally(holdings: Iterable<Holding>): Holding[] {
  const sums = new Map<string, Holding>()
  for (const { account, code, owned, borrowed } of holdings) {
    const id = `${account} ${code}`
    const sum = sums.get(id)
    sums.set(id, {
      account,
      code,
      owned: sum ? sum.owned.plus(owned) : owned,
      borrowed: sum ? sum.borrowed.plus(borrowed) : borrowed,
    })
  }
  return [...sums.values()].map(withoutNegative).filter(({ owned, borrowed }) => owned.gt(0) || borrowed.gt(0))
}

function withoutNegative(holding: Holding): Holding {
  const { owned, borrowed } = holding
  return {
    ...holding,
    owned: positive(owned).plus(positive(borrowed.neg())),
    borrowed: positive(borrowed).plus(positive(owned.neg())),
  }
}

function positive(value: Decimal): Decimal {
  return value.gt(0) ? value : ZERO
}

const AMOUNT = /^-?\d{1,60}(\.\d{1,60})?(e[+-]?\d{1,2})?$/i

export function toAmount(text: string): Decimal | undefined {
  return AMOUNT.test(text) ? decimal(text) : undefined
}

/** Numbers are exact: the transport quotes the others. */
export const amount = z.union([z.string(), z.number().transform(String)]).transform((text, context) => {
  const value = toAmount(text)
  if (value) return value
  context.addIssue({ code: 'custom', message: 'is not an amount' })
  return z.NEVER
})
