import { expect, test } from 'vitest'
import { decimal, formatDecimal } from '../../domain/decimal.ts'
import { priceCoins } from './coin-prices.ts'

type Quotes = Record<string, string>

/** Coin prices with rates for EUR and USD and known `stablecoins`. */
async function prices(symbols: string[], quotes: Quotes, stablecoins: Quotes = {}): Promise<Record<string, string>> {
  const known = (table: Quotes, source: string) => async (symbol: string) => {
    const usd = table[symbol]
    return usd === undefined ? undefined : { usd: decimal(usd), source }
  }
  const context = {
    rates: { usdPerUnit: known({ USD: '1', EUR: '1.25' }, 'rates') },
    stablecoins: { price: known(stablecoins, 'chainlink') },
  }
  const markets = Object.entries(quotes).map(([pair, text]) => {
    const [symbol = '', quote = ''] = pair.split('/')
    return { symbol, quote, price: decimal(text) }
  })
  const found = await priceCoins(context, 'binance', symbols, markets)
  return Object.fromEntries([...found].map(([symbol, { usd, source }]) => [symbol, `${formatDecimal(usd)} ${source}`]))
}

test('money is priced by the rates, a coin by its market, a stablecoin by what is known of it', async () => {
  const quotes = { 'BTC/USDT': '60000', 'ADA/BTC': '0.00001', 'USDT/USD': '2', 'EUR/USD': '9' }
  expect(await prices(['EUR', 'BTC', 'ADA', 'USDT'], quotes, { USDT: '0.999' })).toEqual({
    EUR: '1.25 rates',
    USDT: '0.999 chainlink',
    BTC: '59940 binance',
    ADA: '0.5994 binance',
  })
})

test('an unknown stablecoin is priced by its market in money, from either side, never as 1', async () => {
  expect(await prices(['USDT', 'BTC'], { 'USDT/USD': '0.98', 'BTC/USDT': '100' })).toEqual({
    USDT: '0.98 binance',
    BTC: '98 binance',
  })
  expect(await prices(['USDT'], { 'EUR/USDT': '1.25' })).toEqual({ USDT: '1 binance' })
  expect(await prices(['USDT'], { 'EUR/USDT': '1.28' })).toEqual({ USDT: '0.9765625 binance' })
  expect(await prices(['USDT', 'BTC'], { 'BTC/USDT': '60000' })).toEqual({})
})

test('of several markets the one in money counts, and one in the coin itself is no price', async () => {
  expect(await prices(['BTC'], { 'BTC/USDT': '61000', 'BTC/USD': '60000' }, { USDT: '1' })).toEqual({
    BTC: '60000 binance',
  })
  expect(await prices(['A', 'B'], { 'A/B': '2', 'B/A': '0.5' })).toEqual({})
  expect(await prices(['A'], { 'A/USD': '0' })).toEqual({})
  expect(await prices(['A'], {})).toEqual({})
})

test('rates that do not answer in time are not waited for: the market prices the coin', async () => {
  const never = new Promise<undefined>(() => undefined)
  const usd = { usd: decimal('1'), source: 'unit' }
  const rates = { usdPerUnit: (symbol: string) => (symbol === 'USD' ? Promise.resolve(usd) : never) }
  const context = { rates, stablecoins: { price: () => never }, limitMs: 1 }
  const quotes = [{ symbol: 'BTC', quote: 'USD', price: decimal('60000') }]
  expect((await priceCoins(context, 'kraken', ['BTC'], quotes)).get('BTC')?.usd.toFixed()).toBe('60000')
})
