import type { Exchange as CcxtExchange } from 'ccxt'

/** An exchange's client in ccxt, made from its settings. */
type CcxtClass = new (settings: Record<string, unknown>) => CcxtExchange

type CcxtErrorClass = new (...args: never[]) => Error

/** Those of ccxt's error classes that tell one failure from another. */
export type CcxtErrors = Readonly<
  Record<
    | 'AuthenticationError'
    | 'BadResponse'
    | 'BaseError'
    | 'DDoSProtection'
    | 'ExchangeError'
    | 'InvalidNonce'
    | 'OperationFailed'
    | 'RateLimitExceeded'
    | 'RequestTimeout',
    CcxtErrorClass
  >
>

export type CcxtLibrary = { Client: CcxtClass; errors: CcxtErrors }

/**
 * The client of one exchange. ccxt's entry point loads all hundred exchanges (1.7 s, 96 MB); the one file that is
 * needed takes a third of a second and 37 MB, and as ccxt exports no such path it is named by where it lies.
 */
export async function loadCcxt(key: string): Promise<CcxtLibrary> {
  const entry = import.meta.resolve('ccxt')
  const load = (path: string) => import(new URL(path, entry).href)
  const [exchange, errors] = await Promise.all([load(`./src/${key}.js`), load('./src/base/errors.js')])
  return { Client: (exchange as { default: CcxtClass }).default, errors: errors as CcxtErrors }
}
