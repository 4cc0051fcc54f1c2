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
  /** With its markets loaded, but for the question about permissions. */
  client: CcxtExchange
  /** Runs a call with the key; once more when the exchange found its nonce or time wrong. */
  call<T>(request: () => Promise<T>): Promise<T>
  /** What an account beside the main one has, or the gap that it leaves when it cannot be read. */
  attempt(account: ExchangeAccountKind, read: () => Promise<Holding[]>): Promise<Holding[] | ExchangeGap>
}

/** How the accounts of an exchange are read, through ccxt's client of it. Errors are ccxt's, or of any kind where an answer has another shape. */
export type AccountReader = {
  /** Settings of the client. */
  settings: Readonly<Record<string, unknown>>
  /** Whether a nonce must only be higher than the last one of its key, not tell the time. */
  hasGrowingNonces: boolean
  /** What to say when the markets are asked for. */
  marketParams: Readonly<Record<string, unknown>>
  permissions(account: SignedIn): Promise<KeyPermissions>
  /** The main account first: without it nothing is known. */
  read(account: SignedIn): Promise<(Holding[] | ExchangeGap)[]>
}
