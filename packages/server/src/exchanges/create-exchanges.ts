import type { Clock } from '../lib/clock.ts'
import { type AccountReader, type Holding, tally } from './account-reader.ts'
import { binance } from './binance.ts'
import { type CcxtClients, createCcxtClients, type ExchangeParts, loadCcxt } from './ccxt-clients.ts'
import type {
  Exchange,
  ExchangeBalance,
  ExchangeCredentials,
  ExchangeGap,
  ExchangeRead,
  Exchanges,
} from './exchange.ts'
import { exchangeRows } from './exchange-list.ts'
import { kraken } from './kraken.ts'
import { otherExchange } from './other-exchange.ts'

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
        return { readAt, balances: holdings.map(balanceOf), quotes, gaps }
      }),
  }
}

function balanceOf({ account, code, owned, borrowed }: Holding): ExchangeBalance {
  return { account, symbol: code.toUpperCase(), owned, borrowed }
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
