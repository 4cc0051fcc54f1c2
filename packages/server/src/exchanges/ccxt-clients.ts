import type { Exchange as CcxtExchange } from 'ccxt'
import type { Clock } from '../lib/clock.ts'
import { createKept } from '../lib/kept.ts'
import type { AccountReader, SignedIn } from './account-reader.ts'
import { exchangeFailure, reasonOf } from './ccxt-failure.ts'
import { type CcxtFetch, createCcxtFetch } from './ccxt-http.ts'
import type { CcxtErrors, CcxtLibrary } from './ccxt-library.ts'
import type { ExchangeCredentials, ExchangeQuote } from './exchange.ts'
import type { ExchangeRow } from './exchange-list.ts'
import { readQuotes } from './quotes.ts'

/**
 * Maximum age of the list of markets. A coin listed since has no price; a delisted one makes a request fail, which
 * reloads the list.
 */
const MARKETS_AGE_MS = 6 * 3_600_000

type Options = {
  library: CcxtLibrary
  row: ExchangeRow
  reader: AccountReader
  baseUrl: string | undefined
  clock: Clock
  timeoutMs: number
}

export type CcxtClients = ReturnType<typeof createCcxtClients>

/** ccxt's clients of one exchange: one without a key that knows the markets, and one for each call with a key. */
export function createCcxtClients({ library, row, reader, baseUrl, clock, timeoutMs }: Options) {
  const { Client, errors } = library
  const base = baseUrl?.replace(/\/+$/, '')
  const send = createCcxtFetch({ baseUrl: base, clock, timeoutMs })
  const markets = createKept<CcxtExchange>({ clock, freshMs: MARKETS_AGE_MS })
  /** How far the exchange's clock is behind the local one, in ms, measured once it has rejected a request's time. */
  let timeDifference = 0
  let lastNonce = 0

  function nextNonce(): number {
    lastNonce = Math.max(lastNonce + 1, clock.now())
    return lastNonce
  }

  function createClient(fetchImplementation: CcxtFetch, credentials?: ExchangeCredentials): CcxtExchange {
    const client = new Client({
      ...reader.settings,
      ...credentials,
      ...(reader.hasGrowingNonces ? { nonce: nextNonce } : {}),
      fetchImplementation,
      number: String,
      enableLastHttpResponse: false,
      enableLastResponseHeaders: false,
    })
    if (timeDifference !== 0) client.options['timeDifference'] = timeDifference
    if (base !== undefined) client.urls.api = rebase(client.urls.api, base) as typeof client.urls.api
    return client
  }

  async function loadMarkets(): Promise<CcxtExchange> {
    const client = createClient(send)
    await client.loadMarkets(false, { ...reader.marketParams })
    return client
  }

  /** The client without a key. */
  const withMarkets = () => markets.get('markets', loadMarkets)

  /**
   * Measures the clock difference after a rejected time. Nonces that only grow need no correction: another process was
   * ahead.
   */
  async function mendNonce(client: CcxtExchange): Promise<void> {
    if (reader.hasGrowingNonces || client.has['fetchTime'] !== true) return
    timeDifference = Number(await client.loadTimeDifference())
  }

  return {
    /** Turns every failure into an `UpstreamError` that reveals nothing of the call. */
    async failing<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await work()
      } catch (error) {
        throw exchangeFailure(row.name, reasonOf(error, errors))
      }
    },

    /**
     * Creates a client of its own, so that what ccxt learns of one account never reaches another. The key is not kept.
     */
    signIn(credentials: ExchangeCredentials): SignedIn {
      let hasSigned = false
      const client = createClient((url, request) => {
        hasSigned = true
        return send(url, request)
      }, credentials)
      return {
        client,
        async call(request) {
          try {
            return await request()
          } catch (error) {
            // A malformed secret fails in the arithmetic of the signature.
            if (!hasSigned && !(error instanceof errors.BaseError)) throw exchangeFailure(row.name, 'not-allowed')
            if (!(error instanceof errors.InvalidNonce)) throw error
            await mendNonce(client)
            return request()
          }
        },
        attempt: attemptWith(errors),
      }
    },

    withMarkets,

    /** Last prices of these coins. Rejects if they cannot be read: an unknown price would show as worth nothing. */
    async quotes(codes: readonly string[]): Promise<ExchangeQuote[]> {
      try {
        return await readQuotes(await withMarkets(), codes)
      } catch (error) {
        // A market may have been delisted since they were loaded.
        if (!(error instanceof errors.ExchangeError)) throw error
        return readQuotes(await markets.renew('markets', loadMarkets), codes)
      }
    },
  }
}

function attemptWith(errors: CcxtErrors): SignedIn['attempt'] {
  return async (account, read) => {
    try {
      return await read()
    } catch (error) {
      return { account, reason: reasonOf(error, errors) === 'not-allowed' ? 'not-allowed' : 'unreadable' }
    }
  }
}

/** The same tree of URLs with another scheme and host before their paths. */
function rebase(urls: unknown, base: string): unknown {
  if (typeof urls === 'string') return `${base}${urls.replace(/^https?:\/\/[^/]+/, '')}`
  if (typeof urls !== 'object' || urls === null) return urls
  return Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, rebase(url, base)]))
}
