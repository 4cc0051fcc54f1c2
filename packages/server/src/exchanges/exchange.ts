import type { Decimal } from '../domain/decimal.ts'

/** The credentials an exchange may want. */
export const credentialNames = ['apiKey', 'secret', 'password', 'uid'] as const
export type CredentialName = (typeof credentialNames)[number]

/** Credentials that can read an account; an exchange's `needs` names those that it requires. All are secrets. */
export type ExchangeCredentials = { apiKey: string; secret: string; password?: string; uid?: string }

/** Where inside the exchange a balance is kept: to trade with, in the funding wallet, invested in a product, on margin. */
export type ExchangeAccountKind = 'spot' | 'funding' | 'earn' | 'margin'

/**
 * One coin of one account. Amounts in units of the coin, exact decimals, never negative; `owned` is all of it, what is
 * locked in orders included, and still contains what was borrowed; `borrowed` is the debt with the interest accrued.
 * `symbol` is ccxt's unified code, upper case, e.g. BTC. At most one row for an account and symbol.
 */
export type ExchangeBalance = { account: ExchangeAccountKind; symbol: string; owned: Decimal; borrowed: Decimal }

/** An account that exists but has no balances in this read: reading it failed, or the key may not read it. */
export type ExchangeGap = { account: ExchangeAccountKind; reason: 'unreadable' | 'not-allowed' }

/** The last price of a coin on the exchange's own market: one unit of the symbol is `price` units of `quote` (USD, USDT, USDC, EUR, BTC …). */
export type ExchangeQuote = { symbol: string; quote: string; price: Decimal }

/**
 * An account at one moment; `readAt` is Unix time in milliseconds. `quotes` cover the coins held and what they are
 * quoted in, as far as the exchange has a market and answered; a coin without one has no price there.
 */
export type ExchangeRead = { readAt: number; balances: ExchangeBalance[]; quotes: ExchangeQuote[]; gaps: ExchangeGap[] }

/** What a key may do beyond reading; null where the exchange does not tell. */
export type KeyPermissions = { trade: boolean | null; withdraw: boolean | null }

/**
 * A centralised exchange. Both calls reject with `UpstreamError` only, whose message names the exchange and nothing
 * else; `not-allowed` means that the exchange refuses the credentials. Calls with one key run one after the other.
 */
export type Exchange = {
  /** ccxt's id, e.g. `binance`. */
  key: string
  name: string
  /** The credentials without which nothing can be read. */
  needs: readonly CredentialName[]
  permissions(credentials: ExchangeCredentials): Promise<KeyPermissions>
  /** Rejects when the main account cannot be read; any other account that fails is a gap. */
  read(credentials: ExchangeCredentials): Promise<ExchangeRead>
}

/** The exchanges that can be read, loaded when first asked for. `list` is sorted by key. */
export type Exchanges = {
  list(): Promise<{ key: string; name: string }[]>
  find(key: string): Promise<Exchange | undefined>
}
