import type { Clock } from '../lib/clock.ts'
import type { AccountReader } from './account-reader.ts'
import { binance } from './binance.ts'
import type { Exchange, Exchanges } from './exchange.ts'
import { exchangeRows } from './exchange-list.ts'
import { kraken } from './kraken.ts'
import { openExchange } from './open-exchange.ts'
import { otherExchange } from './other-exchange.ts'

/** Includes the answer's body. */
const CALL_TIMEOUT_MS = 10_000

const readers: ReadonlyMap<string, AccountReader> = new Map([
  ['binance', binance],
  ['kraken', kraken],
])

type Options = {
  /** By exchange key. Replace the exchange's own hosts, e.g. by a relay. */
  urls: ReadonlyMap<string, string>
  clock: Clock
  timeoutMs?: number
}

export function createExchanges({ urls, clock, timeoutMs = CALL_TIMEOUT_MS }: Options): Exchanges {
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
