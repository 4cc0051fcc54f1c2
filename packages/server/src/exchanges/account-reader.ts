import type { Exchange as CcxtExchange } from 'ccxt'
import type { ExchangeAccountKind, ExchangeGap, KeyPermissions } from './exchange.ts'
import type { Holding } from './tally.ts'

export function codeOf(client: CcxtExchange, id: string): string {
  return client.safeCurrencyCode(id) ?? id
}

export function isListed(client: CcxtExchange, code: string): boolean {
  return client.currencies?.[code] !== undefined
}

export type SignedIn = {
  /** Markets are loaded, except in `permissions`. */
  client: CcxtExchange
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
