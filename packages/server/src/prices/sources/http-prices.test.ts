import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EvmAddress, NATIVE } from '../../domain/evm-address.ts'
import type { Token } from '../../domain/token.ts'
import type { Chain } from '../../kinds/chain.ts'
import { chains } from '../../kinds/chain-catalog.ts'
import type { EvmReader } from '../../kinds/evm/reader/evm-reader.ts'
import { createJupiterPrices } from '../../kinds/solana/prices/jupiter-prices.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { PriceSource } from '../price-source.ts'
import { coingeckoRate, createCoingeckoPrices } from './coingecko-prices.ts'
import { createDefillamaPrices, defillamaRate } from './defillama-prices.ts'

const find = (key: string) => chains.find((chain) => chain.key === key) as Chain
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as EvmAddress
const token = (at: EvmAddress, decimals = 18): Token => ({
  ...{ chain: 'binance', address: at, symbol: '', name: '', decimals, listed: true },
})

type Answer = (path: string, response: ServerResponse) => void
/** Far more than a loopback answer takes; what never answers is given less. */
const PATIENT_MS = 10_000
let timeoutMs = PATIENT_MS
let answer: Answer
let seen: { path: string; headers: NodeJS.Dict<string | string[]> }[]
let server: ReturnType<typeof createServer>
let baseUrl: string

const json = (value: unknown) => (_: string, response: ServerResponse) => response.end(JSON.stringify(value))
const raw =
  (body: string, status = 200) =>
  (_: string, response: ServerResponse) => {
    response.statusCode = status
    response.end(body)
  }

beforeEach(async () => {
  seen = []
  timeoutMs = PATIENT_MS
  server = createServer((request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers })
    answer(request.url ?? '', response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key/`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function ask(source: PriceSource<unknown>, tokens: Token[], chain = find('binance'), asOf?: number) {
  const anchors = { expects: () => false, price: async () => undefined }
  const past = asOf === undefined ? {} : { asOf }
  return source.open({ chain, reader: {} as EvmReader, anchors, ...past }).quote(tokens)
}

async function prices(source: PriceSource<unknown>, tokens: Token[], chain?: Chain) {
  const quotes = await ask(source, tokens, chain)
  return [...quotes].map(([at, said]) =>
    said instanceof UpstreamError
      ? [at, said.reason]
      : [at, said.price.usd.toFixed(), said.price.confidence, said.price.asOf],
  )
}

describe('DefiLlama', () => {
  const source = () => createDefillamaPrices({ baseUrl, timeoutMs })
  const coin = (price: unknown, rest: object = {}) => ({
    decimals: 18,
    symbol: 'X',
    price,
    timestamp: 1_648_680_149,
    confidence: 0.99,
    ...rest,
  })

  it('answers for contracts by chain and address, for the chain’s coin by its id', async () => {
    answer = json({
      coins: {
        [`bsc:${address(1)}`]: coin(0.02205),
        'coingecko:binancecoin': { symbol: 'BNB', price: 612.34, timestamp: 1, confidence: 0.99 },
      },
    })
    expect(await prices(source(), [token(address(1)), token(NATIVE), token(address(2))])).toEqual([
      [address(1), '0.02205', 0.99, 1_648_680_149],
      [NATIVE, '612.34', 0.99, 1],
    ])
    expect(seen.map(({ path }) => path)).toEqual([
      `/secret-key/prices/current/bsc:${address(1)},coingecko:binancecoin,bsc:${address(2)}?searchWidth=4h`,
    ])
  })

  it('answers for a moment of the past', async () => {
    answer = json({ coins: { [`bsc:${address(1)}`]: coin(0.02205) } })
    const quotes = await ask(source(), [token(address(1))], find('binance'), 1_648_680_000)
    expect(quotes.get(address(1))).toMatchObject({ price: { asOf: 1_648_680_149 } })
    expect(seen.map(({ path }) => path)).toEqual([
      `/secret-key/prices/historical/1648680000/bsc:${address(1)}?searchWidth=4h`,
    ])
  })

  it('keeps every digit of a price', async () => {
    answer = raw(
      `{"coins":{"bsc:${address(1)}":{"decimals":18,"symbol":"X","price":1234567.123456789012345678,"timestamp":1,"confidence":0.99}}}`,
    )
    expect((await prices(source(), [token(address(1))]))[0]?.[1]).toBe('1234567.123456789012345678')
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
    answer = json({ coins: { [`bsc:${address(1)}`]: broken, [`bsc:${address(2)}`]: coin(2) } })
    expect(await prices(source(), [token(address(1)), token(address(2))])).toEqual([
      [address(2), '2', 0.99, 1_648_680_149],
    ])
  })

  it('asks for 150 coins at a time, and a page that fails leaves the others as they are', async () => {
    const many = Array.from({ length: 310 }, (_, i) => token(address(i + 1)))
    answer = (path, response) => {
      const coins = path.split('/').at(-1)?.split('?')[0]?.split(',') ?? []
      if (coins.includes(`bsc:${address(151)}`)) response.statusCode = 500
      response.end(JSON.stringify({ coins: Object.fromEntries(coins.map((key) => [key, coin(1)])) }))
    }
    const quotes = await ask(source(), many)
    expect(seen.map(({ path }) => path.split(',').length).sort((a, b) => a - b)).toEqual([10, 150, 150])
    expect([...quotes.values()].filter((said) => said instanceof UpstreamError)).toHaveLength(150)
    expect(quotes.size).toBe(310)
  })

  it('knows no chain that it has no name for', async () => {
    expect(await prices(source(), [token(address(1))], { ...find('binance'), defillama: null })).toEqual([])
    expect(seen).toEqual([])
  })

  it('knows coins for conversions', async () => {
    answer = json({ coins: { 'coingecko:solana': coin(147.48) } })
    expect((await defillamaRate({ baseUrl }, 'SOL'))?.toFixed()).toBe('147.48')
    expect(await defillamaRate({ baseUrl }, 'EUR')).toBeUndefined()
    expect(seen).toHaveLength(1)
  })
})

describe('CoinGecko', () => {
  const source = (apiKey?: string) => createCoingeckoPrices({ baseUrl, timeoutMs, ...(apiKey && { apiKey }) })

  it('knows nothing of the past', async () => {
    const quotes = await ask(
      createCoingeckoPrices({ baseUrl }),
      [token(address(1)), token(NATIVE)],
      undefined,
      1_648_680_000,
    )
    expect([quotes.size, seen.length]).toEqual([0, 0])
  })

  it('answers for contracts of a platform, and for the chain’s coin', async () => {
    answer = (path, response) =>
      response.end(
        path.includes('/token_price/')
          ? JSON.stringify({ [address(1)]: { usd: 0.9998, last_updated_at: 1_711_983_682 } })
          : JSON.stringify({ binancecoin: { usd: 600.5, last_updated_at: 5 } }),
      )
    const found = await prices(source('k1'), [token(address(1)), token(address(2)), token(NATIVE)])
    expect(found.sort()).toEqual([
      [NATIVE, '600.5', 0.9, 5],
      [address(1), '0.9998', 0.9, 1_711_983_682],
    ])
    const usd = 'vs_currencies=usd&include_last_updated_at=true&precision=full'
    expect(seen.map(({ path }) => path).sort()).toEqual([
      `/secret-key/simple/price?ids=binancecoin&${usd}`,
      `/secret-key/simple/token_price/binance-smart-chain?contract_addresses=${address(1)},${address(2)}&${usd}`,
    ])
    expect(seen.map(({ headers }) => headers['x-cg-demo-api-key'])).toEqual(['k1', 'k1'])
  })

  it.each([
    ['zero', 0],
    ['negative', -5],
    ['text', '1'],
    ['absurd', 1e30],
    ['null', null],
  ])('leaves out a price that is %s', async (_, usd) => {
    answer = json({ [address(1)]: { usd }, [address(2)]: { usd: 3 } })
    expect(await prices(source(), [token(address(1)), token(address(2))])).toEqual([[address(2), '3', 0.9, undefined]])
  })

  it('derives what a currency is worth from a bitcoin’s two prices', async () => {
    answer = json({ bitcoin: { usd: 60000, eur: 48000 } })
    expect((await coingeckoRate({ baseUrl }, 'EUR'))?.toFixed()).toBe('1.25')
    expect(seen[0]?.path).toBe('/secret-key/simple/price?ids=bitcoin&vs_currencies=usd,eur&precision=full')
    answer = json({ bitcoin: { usd: 60000 } })
    expect(await coingeckoRate({ baseUrl }, 'JPY')).toBeUndefined()
    answer = json({ solana: { usd: 150.25 } })
    expect((await coingeckoRate({ baseUrl }, 'SOL'))?.toFixed()).toBe('150.25')
  })
})

describe('Jupiter', () => {
  const [MINT, OTHER] = ['DriFtupJYLTosbwoN8koMbEYSx54aFAVLddWsbksjwg7', 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN']
  const SOL = '11111111111111111111111111111111'
  const WRAPPED = 'So11111111111111111111111111111111111111112'
  const solana = find('solana')
  const source = (apiKey?: string) => createJupiterPrices({ baseUrl, timeoutMs, ...(apiKey && { apiKey }) })
  const mint = (at: string, decimals = 6): Token => ({ ...token(address(1), decimals), chain: 'solana', address: at })
  const entry = (usdPrice: unknown, rest: object = {}) => ({
    ...{ createdAt: '2024-06-05T08:55:25.527Z', liquidity: 621_679_197.67, usdPrice, blockId: 348_004_023 },
    ...{ decimals: 6, priceChange24h: 1.29, ...rest },
  })

  it('answers for mints, for SOL by its wrapped form, with the key that it is given', async () => {
    answer = json({ [MINT]: entry(0.4312), [WRAPPED]: entry(147.48, { decimals: 9 }) })
    const tokens = [mint(MINT), mint(SOL, 9), mint(WRAPPED, 9), mint(OTHER)]
    expect(await prices(source('k1'), tokens, solana)).toEqual([
      [MINT, '0.4312', 0.9, undefined],
      [SOL, '147.48', 0.9, undefined],
      [WRAPPED, '147.48', 0.9, undefined],
    ])
    expect(seen.map(({ path }) => path)).toEqual([`/secret-key/price/v3?ids=${MINT},${WRAPPED},${OTHER}`])
    expect(seen.map(({ headers }) => headers['x-api-key'])).toEqual(['k1'])
  })

  it('keeps every digit of a price', async () => {
    answer = raw(`{"${MINT}":{"usdPrice":0.000000123456789012345678,"decimals":6,"liquidity":60000}}`)
    expect(await prices(source(), [mint(MINT)], solana)).toEqual([[MINT, '0.000000123456789012345678', 0.7, undefined]])
  })

  it.each([
    [1_000_000, 0.9],
    [999_999, 0.8],
    [250_000, 0.8],
    [50_000, 0.7],
    [10_000, 0.5],
    [9_999.99, 0.3],
    [null, 0.3],
  ])('is as sure as %s USD of liquidity make it', async (liquidity, confidence) => {
    answer = json({ [MINT]: entry(2, { liquidity }) })
    expect(await prices(source(), [mint(MINT)], solana)).toEqual([[MINT, '2', confidence, undefined]])
  })

  it.each([
    ['zero', entry(0)],
    ['negative', entry(-1)],
    ['text', entry('1')],
    ['null', entry(null)],
    ['absurd', entry(1e30)],
    ['for other decimals', entry(1, { decimals: 9 })],
    ['no object', 5],
  ])('leaves out a price that is %s', async (_, found) => {
    answer = json({ [MINT]: found, [OTHER]: entry(3) })
    expect(await prices(source(), [mint(MINT), mint(OTHER)], solana)).toEqual([[OTHER, '3', 0.9, undefined]])
  })

  it('asks for fifty mints a call', async () => {
    answer = json({})
    const many = Array.from({ length: 51 }, (_, index) => mint(`mint${index}`))
    await prices(source(), many, solana)
    expect(seen.map(({ path }) => path.split(',').length).sort()).toEqual([1, 50])
  })

  it('is asked about the present of Solana alone', async () => {
    expect((await ask(source(), [token(address(1))])).size).toBe(0)
    expect((await ask(source(), [mint(MINT)], solana, 1_648_680_000)).size).toBe(0)
    expect(seen).toEqual([])
  })
})

describe.each([
  ['jupiter', () => createJupiterPrices({ baseUrl, timeoutMs, apiKey: 'k1' }), find('solana')],
  ['defillama', () => createDefillamaPrices({ baseUrl, timeoutMs }), find('binance')],
  ['coingecko', () => createCoingeckoPrices({ baseUrl, timeoutMs, apiKey: 'k1' }), find('binance')],
] as const)('%s, when it fails', (name, source, chain) => {
  it.each<[string, string, Answer]>([
    ['answers 500', 'unavailable', raw('{"coins":{}}', 500)],
    ['answers 429', 'rate-limited', raw('', 429)],
    ['answers HTML', 'invalid', raw('<html><body>maintenance</body></html>')],
    ['stops in the middle of its JSON', 'invalid', raw('{"coins":{"bsc:')],
    ['answers something else', 'invalid', raw('"ok"')],
    ['cuts the connection', 'unavailable', (_, response) => response.destroy()],
    ['redirects', 'unavailable', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['floods', 'invalid', raw(`{"coins":{"x":"${'x'.repeat(2_000_000)}"}}`)],
    ['never answers', 'timeout', () => undefined],
  ])('%s: the token stays open, as %s', async (_, reason, fault) => {
    answer = fault
    if (reason === 'timeout') timeoutMs = 100
    const quotes = await ask(source(), [token(address(1))], chain)
    const said = quotes.get(address(1))
    expect(said).toBeInstanceOf(UpstreamError)
    expect(said).toMatchObject({ reason })
    const { message } = said as UpstreamError
    expect(message).toContain(name)
    for (const hidden of ['127.0.0.1', 'secret-key', 'k1', address(1)]) expect(message).not.toContain(hidden)
  })

  it('has moved away', async () => {
    const moved = source()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect((await ask(moved, [token(address(1))], chain)).get(address(1))).toMatchObject({ reason: 'unavailable' })
    server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
})
