import type { Exchange as CcxtExchange } from 'ccxt'
import type { ExchangeAccountKind, ExchangeGap, KeyPermissions } from './exchange.ts'
import type { Holding } from './tally.ts'

/** ccxt's unified code of an asset, e.g. `BTC`, by what the exchange calls it. */
export function codeOf(client: CcxtExchange, id: string): string {
  return client.safeCurrencyCode(id) ?? id
}

/** Whether the exchange has such a coin, as far as its markets and list of assets tell. */
export function isListed(client: CcxtExchange, code: string): boolean {
  return client.currencies?.[code] !== undefined
}

/** An account that is signed in. */
export type SignedIn = {
  /** Its markets are loaded, except in `permissions`. */
  client: CcxtExchange
  /** Runs a call with the key; once more when the exchange found its nonce or time wrong. */
  call<T>(request: () => Promise<T>): Promise<T>
  /** Reads an account other than the main one; returns a gap if it cannot be read. */
  attempt(account: ExchangeAccountKind, read: () => Promise<Holding[]>): Promise<Holding[] | ExchangeGap>
}

/**
 * Reads the accounts of an exchange through its ccxt client. Throws ccxt's errors, or any error if an answer has an
 * unexpected shape.
 */
export type AccountReader = {
  /** Settings of the client. */
  settings: Readonly<Record<string, unknown>>
  /** Whether a nonce only has to exceed the last one of its key, and need not be the time. */
  hasGrowingNonces: boolean
  /** Parameters of the request for the markets. */
  marketParams: Readonly<Record<string, unknown>>
  permissions(account: SignedIn): Promise<KeyPermissions>
  /** Reads the main account first: if that fails, nothing is known. */
  read(account: SignedIn): Promise<(Holding[] | ExchangeGap)[]>
}
