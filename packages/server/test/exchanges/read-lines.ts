import type { Exchange, ExchangeRead, Exchanges } from '../../src/exchanges/exchange.ts'

/** Sorted: `spot BTC 1.75`, `margin ETH 1 -2.1`, `BTC = 64000.12 USDT`, `no funding: unreadable`. */
export function linesOf({ balances, quotes, gaps }: ExchangeRead): string[] {
  const held = balances.map(({ account, symbol, owned, borrowed }) =>
    [account, symbol, owned.toFixed(), ...(borrowed.eq(0) ? [] : [`-${borrowed.toFixed()}`])].join(' '),
  )
  return [
    ...held.sort(),
    ...quotes.map(({ symbol, quote, price }) => `${symbol} = ${price.toFixed()} ${quote}`).sort(),
    ...gaps.map(({ account, reason }) => `no ${account}: ${reason}`).sort(),
  ]
}

export function balanceLines(read: ExchangeRead): string[] {
  return linesOf({ ...read, quotes: [] })
}

export async function exchangeOf(exchanges: Exchanges, key: string): Promise<Exchange> {
  const exchange = await exchanges.find(key)
  if (!exchange) throw new Error(`there is no exchange ${key}`)
  return exchange
}

export async function failureOf(call: Promise<unknown>): Promise<Error> {
  try {
    await call
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('the call did not fail')
}
