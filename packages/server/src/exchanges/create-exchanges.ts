import type { Exchange as CcxtExchange, errors as ccxtErrors } from 'ccxt'
import type { Clock } from '../lib/clock.ts'
import { createKept } from '../lib/kept.ts'
import { UpstreamError, type UpstreamReason } from '../lib/upstream-error.ts'
import { type AccountReader, type SignedIn, tally } from './account-reader.ts'
import { binance } from './binance.ts'
import { type CcxtFetch, createCcxtFetch } from './ccxt-http.ts'
import type { Exchange, ExchangeCredentials, ExchangeGap, ExchangeQuote, ExchangeRead, Exchanges } from './exchange.ts'
import { type ExchangeRow, exchangeRows } from './exchange-list.ts'
import { kraken } from './kraken.ts'
import { otherExchange } from './other-exchange.ts'
import { readQuotes } from './quotes.ts'

const CALL_TIMEOUT_MS = 10_000

const readers: ReadonlyMap<string, AccountReader> = new Map([
  ['binance', binance],
  ['kraken', kraken],
])

/** `urls` by exchange key replace the exchange's own hosts, e.g. by a relay. */
export function createExchanges({
  urls,
  clock,
  timeoutMs = CALL_TIMEOUT_MS,
}: {
  urls: ReadonlyMap<string, string>
  clock: Clock
  timeoutMs?: number
}): Exchanges {
  const opened = new Map<string, Exchange>()
  return {
    list: async () => exchangeRows.map(({ key, name }) => ({ key, name })),
    async find(key) {
      const row = exchangeRows.find((known) => known.key === key)
      if (!row) return undefined
      const reader = readers.get(key) ?? otherExchange(key)
      const exchange = opened.get(key) ?? openExchange({ row, reader, baseUrl: urls.get(key), clock, timeoutMs })
      opened.set(key, exchange)
      return exchange
    },
  }
}

function openExchange(parts: ExchangeParts): Exchange {
  const { row, reader, clock } = parts
  const inTurn = createTurns()
  let opened: Promise<CcxtClients> | undefined

  /** Exchanges refuse nonces that arrive out of order. */
  async function use<T>({ apiKey, uid }: ExchangeCredentials, work: (clients: CcxtClients) => Promise<T>): Promise<T> {
    opened ??= loadCcxt(row.key).then((library) => createCcxtClients(library, parts))
    const clients = await opened
    return clients.failing(() => inTurn(`${apiKey} ${uid ?? ''}`, () => work(clients)))
  }

  return {
    key: row.key,
    name: row.name,
    needs: row.needs,
    permissions: (credentials) => use(credentials, (clients) => reader.permissions(clients.signIn(credentials))),
    read: (credentials) =>
      use(credentials, async (clients): Promise<ExchangeRead> => {
        const account = clients.signIn(credentials)
        account.client.setMarketsFromExchange(await clients.withMarkets())
        const parts = await reader.read(account)
        const readAt = clock.now()
        const holdings = tally(parts.filter((part) => Array.isArray(part)).flat())
        const gaps = parts.filter((part): part is ExchangeGap => !Array.isArray(part))
        const quotes = await clients.quotes(holdings.map(({ code }) => code))
        const balances = holdings.map(({ code, ...holding }) => ({ ...holding, symbol: code.toUpperCase() }))
        return { readAt, balances, quotes, gaps }
      }),
  }
}

function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    const leave = () => {
      if (last.get(key) === mine) last.delete(key)
    }
    last.set(key, mine)
    mine.then(leave, leave)
    return mine
  }
}

/** A delisted coin fails a request, which reloads the markets. */
const MARKETS_AGE_MS = 6 * 3_600_000

type ExchangeParts = {
  row: ExchangeRow
  reader: AccountReader
  baseUrl: string | undefined
  clock: Clock
  timeoutMs: number
}

type CcxtClients = ReturnType<typeof createCcxtClients>

function createCcxtClients({ Client, errors }: CcxtLibrary, { row, reader, baseUrl, clock, timeoutMs }: ExchangeParts) {
  const base = baseUrl?.replace(/\/+$/, '')
  const send = createCcxtFetch(base, clock, timeoutMs)
  const markets = createKept<CcxtExchange>({ clock, freshMs: MARKETS_AGE_MS })
  /** Milliseconds by which the exchange's clock trails the local one. */
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

  const withMarkets = () => markets.get('markets', loadMarkets)

  /** Growing nonces need no correction: another process was ahead. */
  async function mendNonce(client: CcxtExchange): Promise<void> {
    if (reader.hasGrowingNonces || client.has['fetchTime'] !== true) return
    timeDifference = Number(await client.loadTimeDifference())
  }

  return {
    /** Throws only `UpstreamError`s that reveal nothing of the call. */
    async failing<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await work()
      } catch (error) {
        throw exchangeFailure(row.name, reasonOf(error, errors))
      }
    },

    /** Keeps ccxt's state of one account from reaching another. */
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
            // A malformed secret fails in signing.
            if (!hasSigned && !(error instanceof errors.BaseError)) throw exchangeFailure(row.name, 'not-allowed')
            if (!(error instanceof errors.InvalidNonce)) throw error
            await mendNonce(client)
            return request()
          }
        },
        async attempt(account, read) {
          try {
            return await read()
          } catch (error) {
            return { account, reason: reasonOf(error, errors) === 'not-allowed' ? 'not-allowed' : 'unreadable' }
          }
        },
      }
    },

    withMarkets,

    /** Rejects without prices: an unknown price would show as worth nothing. */
    async quotes(codes: readonly string[]): Promise<ExchangeQuote[]> {
      try {
        return await readQuotes(await withMarkets(), codes)
      } catch (error) {
        // A market may have been delisted.
        if (!(error instanceof errors.ExchangeError)) throw error
        return readQuotes(await markets.renew('markets', loadMarkets), codes)
      }
    },
  }
}

function rebase(urls: unknown, base: string): unknown {
  if (typeof urls === 'string') return `${base}${urls.replace(/^https?:\/\/[^/]+/, '')}`
  if (typeof urls !== 'object' || urls === null) return urls
  return Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, rebase(url, base)]))
}

/** Key refusals that ccxt classifies as any error (Kraken) or as a ban (Binance). */
const REFUSED = /EAPI:Invalid (key|signature|nonce)|"code":\s*-2015\b/

const SENTENCES: Record<UpstreamReason, string> = {
  timeout: 'did not answer in time',
  unavailable: 'cannot be reached',
  'rate-limited': 'asks for fewer requests',
  invalid: 'gave an answer that cannot be trusted',
  'not-allowed': 'refuses the key',
}

/** Sets no cause: ccxt's errors hold URLs, signatures and bodies. */
function exchangeFailure(name: string, reason: UpstreamReason): UpstreamError {
  return new UpstreamError(reason, `${name} ${SENTENCES[reason]}`)
}

function reasonOf(error: unknown, errors: CcxtErrors): UpstreamReason {
  if (error instanceof UpstreamError) return error.reason
  if (error instanceof Error && REFUSED.test(error.message)) return 'not-allowed'
  if (error instanceof errors.RateLimitExceeded || error instanceof errors.DDoSProtection) return 'rate-limited'
  if (error instanceof errors.AuthenticationError || error instanceof errors.InvalidNonce) return 'not-allowed'
  if (error instanceof errors.RequestTimeout) return 'timeout'
  if (error instanceof errors.OperationFailed && !(error instanceof errors.BadResponse)) return 'unavailable'
  return 'invalid'
}

type CcxtClass = new (settings: Record<string, unknown>) => CcxtExchange

type CcxtErrors = typeof ccxtErrors
type CcxtLibrary = { Client: CcxtClass; errors: CcxtErrors }

/** 0.3 s and 37 MB, against 1.7 s and 96 MB for ccxt's entry point. ccxt does not export these paths. */
export async function loadCcxt(key: string): Promise<CcxtLibrary> {
  const entry = import.meta.resolve('ccxt')
  const load = (path: string) => import(new URL(path, entry).href)
  const [exchange, errors] = await Promise.all([load(`./src/${key}.js`), load('./src/base/errors.js')])
  return { Client: (exchange as { default: CcxtClass }).default, errors: errors as CcxtErrors }
}
