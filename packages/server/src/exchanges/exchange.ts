import type { Decimal } from '../domain/decimal.ts'

export const credentialNames = ['apiKey', 'secret', 'password', 'uid'] as const
export type CredentialName = (typeof credentialNames)[number]

/** All are secrets. */
export type ExchangeCredentials = { apiKey: string; secret: string; password?: string; uid?: string }

/** `spot`: to trade with; `earn`: invested in a product. */
export type ExchangeAccountKind = 'spot' | 'funding' | 'earn' | 'margin'

/** In units of the coin, never negative. `owned` includes locked and borrowed amounts, `borrowed` interest. */
type ExchangeBalance = { account: ExchangeAccountKind; symbol: string; owned: Decimal; borrowed: Decimal }

export type ExchangeGap = { account: ExchangeAccountKind; reason: 'unreadable' | 'not-allowed' }

/** One unit of `symbol` is `price` units of `quote`, by the exchange's own market. */
export type ExchangeQuote = { symbol: string; quote: string; price: Decimal }

/** `readAt` in Unix milliseconds. `quotes` include quote coins, and omit coins without a market. */
export type ExchangeRead = { readAt: number; balances: ExchangeBalance[]; quotes: ExchangeQuote[]; gaps: ExchangeGap[] }

/** null: not reported. */
export type KeyPermissions = { trade: boolean | null; withdraw: boolean | null }

/** Rejects only with `UpstreamError`, whose message names only the exchange. Calls with one key run in sequence. */
export type Exchange = {
  key: string
  name: string
  needs: readonly CredentialName[]
  permissions(credentials: ExchangeCredentials): Promise<KeyPermissions>
  /** Rejects if the main account cannot be read; others become `gaps`. */
  read(credentials: ExchangeCredentials): Promise<ExchangeRead>
}

export type Exchanges = {
  list(): Promise<{ key: string; name: string }[]>
  find(key: string): Promise<Exchange | undefined>
}
