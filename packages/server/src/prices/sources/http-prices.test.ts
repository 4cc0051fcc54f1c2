import { describe, expect, it } from 'vitest'
import { ask, chainNamed, describeFailures, json, priceApi, prices, raw, tokenAt } from '../../../test/price-api.ts'
import { NATIVE } from '../../domain/evm-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { coingeckoRate, createCoingeckoPrices } from './coingecko-prices.ts'
import { createDefillamaPrices, defillamaRate } from './defillama-prices.ts'

const api = priceApi()
const at = () => ({ baseUrl: api.baseUrl, timeoutMs: api.timeoutMs })
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

describe('DefiLlama', () => {
  const source = () => createDefillamaPrices({ ...at() })
  const coin = (price: unknown, rest: object = {}) => ({
    decimals: 18,
    symbol: 'X',
    price,
    timestamp: 1_648_680_149,
    confidence: 0.99,
    ...rest,
  })

  it('answers for contracts by chain and address, for the chain’s coin by its id', async () => {
    api.answer = json({
      coins: {
        [`bsc:${address(1)}`]: coin(0.02205),
        'coingecko:binancecoin': { symbol: 'BNB', price: 612.34, timestamp: 1, confidence: 0.99 },
      },
    })
    expect(await prices(source(), [tokenAt(address(1)), tokenAt(NATIVE), tokenAt(address(2))])).toEqual([
      [address(1), '0.02205', 0.99, 1_648_680_149],
      [NATIVE, '612.34', 0.99, 1],
    ])
    expect(api.seen.map(({ path }) => path)).toEqual([
      `/secret-key/prices/current/bsc:${address(1)},coingecko:binancecoin,bsc:${address(2)}?searchWidth=4h`,
    ])
  })

  it('answers for a moment of the past', async () => {
    api.answer = json({ coins: { [`bsc:${address(1)}`]: coin(0.02205) } })
    const quotes = await ask(source(), [tokenAt(address(1))], chainNamed('binance'), 1_648_680_000)
    expect(quotes.get(address(1))).toMatchObject({ price: { asOf: 1_648_680_149 } })
    expect(api.seen.map(({ path }) => path)).toEqual([
      `/secret-key/prices/historical/1648680000/bsc:${address(1)}?searchWidth=4h`,
    ])
  })

  it('keeps every digit of a price', async () => {
    api.answer = raw(
      `{"coins":{"bsc:${address(1)}":{"decimals":18,"symbol":"X","price":1234567.123456789012345678,"timestamp":1,"confidence":0.99}}}`,
    )
    expect((await prices(source(), [tokenAt(address(1))]))[0]?.[1]).toBe('1234567.123456789012345678')
  })

  it.each([
    ['zero', coin(0)],
    ['negative', coin(-1)],
    ['text', coin('1')],
    ['not a number', coin('NaN')],
    ['absurd', coin(1e30)],
    ['missing', { ...coin(1), price: undefined }],
    ['without confidence', { ...coin(1), confidence: undefined }],
    ['with a confidence above one', coin(1, { confidence: 7 })],
    ['for other decimals', coin(1, { decimals: 0 })],
    ['no object', 5],
  ])('leaves out a price that is %s', async (_, broken) => {
    api.answer = json({ coins: { [`bsc:${address(1)}`]: broken, [`bsc:${address(2)}`]: coin(2) } })
    expect(await prices(source(), [tokenAt(address(1)), tokenAt(address(2))])).toEqual([
      [address(2), '2', 0.99, 1_648_680_149],
    ])
  })

  it('asks for 150 coins at a time, and a page that fails leaves the others as they are', async () => {
    const many = Array.from({ length: 310 }, (_, i) => tokenAt(address(i + 1)))
    api.answer = (path, response) => {
      const coins = path.split('/').at(-1)?.split('?')[0]?.split(',') ?? []
      if (coins.includes(`bsc:${address(151)}`)) response.statusCode = 500
      response.end(JSON.stringify({ coins: Object.fromEntries(coins.map((key) => [key, coin(1)])) }))
    }
    const quotes = await ask(source(), many)
    expect(api.seen.map(({ path }) => path.split(',').length).sort((a, b) => a - b)).toEqual([10, 150, 150])
    expect([...quotes.values()].filter((said) => said instanceof UpstreamError)).toHaveLength(150)
    expect(quotes.size).toBe(310)
  })

  it('knows no chain that it has no name for', async () => {
    expect(await prices(source(), [tokenAt(address(1))], { ...chainNamed('binance'), defillama: null })).toEqual([])
    expect(api.seen).toEqual([])
  })

  it('knows coins for conversions', async () => {
    api.answer = json({ coins: { 'coingecko:solana': coin(147.48) } })
    expect((await defillamaRate({ baseUrl: api.baseUrl }, 'SOL'))?.toFixed()).toBe('147.48')
    expect(await defillamaRate({ baseUrl: api.baseUrl }, 'EUR')).toBeUndefined()
    expect(api.seen).toHaveLength(1)
  })
})

describe('CoinGecko', () => {
  const source = (apiKey?: string) => createCoingeckoPrices({ ...at(), ...(apiKey && { apiKey }) })

  it('knows nothing of the past', async () => {
    const quotes = await ask(
      createCoingeckoPrices({ baseUrl: api.baseUrl }),
      [tokenAt(address(1)), tokenAt(NATIVE)],
      undefined,
      1_648_680_000,
    )
    expect([quotes.size, api.seen.length]).toEqual([0, 0])
  })

  it('answers for contracts of a platform, and for the chain’s coin', async () => {
    api.answer = (path, response) =>
      response.end(
        path.includes('/token_price/')
          ? JSON.stringify({ [address(1)]: { usd: 0.9998, last_updated_at: 1_711_983_682 } })
          : JSON.stringify({ binancecoin: { usd: 600.5, last_updated_at: 5 } }),
      )
    const found = await prices(source('k1'), [tokenAt(address(1)), tokenAt(address(2)), tokenAt(NATIVE)])
    expect(found.sort()).toEqual([
      [NATIVE, '600.5', 0.9, 5],
      [address(1), '0.9998', 0.9, 1_711_983_682],
    ])
    const usd = 'vs_currencies=usd&include_last_updated_at=true&precision=full'
    expect(api.seen.map(({ path }) => path).sort()).toEqual([
      `/secret-key/simple/price?ids=binancecoin&${usd}`,
      `/secret-key/simple/token_price/binance-smart-chain?contract_addresses=${address(1)},${address(2)}&${usd}`,
    ])
    expect(api.seen.map(({ headers }) => headers['x-cg-demo-api-key'])).toEqual(['k1', 'k1'])
  })

  it.each([
    ['zero', 0],
    ['negative', -5],
    ['text', '1'],
    ['absurd', 1e30],
    ['null', null],
  ])('leaves out a price that is %s', async (_, usd) => {
    api.answer = json({ [address(1)]: { usd }, [address(2)]: { usd: 3 } })
    expect(await prices(source(), [tokenAt(address(1)), tokenAt(address(2))])).toEqual([
      [address(2), '3', 0.9, undefined],
    ])
  })

  it('derives what a currency is worth from a bitcoin’s two prices', async () => {
    api.answer = json({ bitcoin: { usd: 60000, eur: 48000 } })
    expect((await coingeckoRate({ baseUrl: api.baseUrl }, 'EUR'))?.toFixed()).toBe('1.25')
    expect(api.seen[0]?.path).toBe('/secret-key/simple/price?ids=bitcoin&vs_currencies=usd,eur&precision=full')
    api.answer = json({ bitcoin: { usd: 60000 } })
    expect(await coingeckoRate({ baseUrl: api.baseUrl }, 'JPY')).toBeUndefined()
    api.answer = json({ solana: { usd: 150.25 } })
    expect((await coingeckoRate({ baseUrl: api.baseUrl }, 'SOL'))?.toFixed()).toBe('150.25')
  })
})

describeFailures(api, 'defillama', () => createDefillamaPrices(at()), chainNamed('binance'))
describeFailures(api, 'coingecko', () => createCoingeckoPrices({ ...at(), apiKey: 'k1' }), chainNamed('binance'))
