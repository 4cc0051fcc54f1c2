import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BinanceBalances, type BinanceEmulator, startBinance } from '../../test/exchanges/binance-emulator.ts'
import { balanceLines, exchangeOf, linesOf } from '../../test/exchanges/read-lines.ts'
import { systemClock } from '../lib/clock.ts'
import { createExchanges } from './create-exchanges.ts'

const reader = { apiKey: 'reader-key', secret: 'reader-secret' }
const trader = { apiKey: 'trader-key', secret: 'trader-secret' }
const narrow = { apiKey: 'narrow-key', secret: 'narrow-secret' }

let server: BinanceEmulator

beforeEach(async () => {
  server = await startBinance({
    accounts: [
      { ...reader },
      { ...trader, rights: { enableSpotAndMarginTrading: true, enableInternalTransfer: true } },
      { ...narrow, refused: ['/sapi/v1/margin/account', '/sapi/v1/simple-earn/flexible/position'] },
    ],
  })
})

afterEach(() => server.stop())

function binance() {
  return exchangeOf(createExchanges({ urls: new Map([['binance', server.url]]), clock: systemClock }), 'binance')
}

async function read(balances: BinanceBalances, credentials = reader) {
  server.setBalances(credentials.apiKey, balances)
  return (await binance()).read(credentials)
}

describe('an account at Binance', () => {
  it('has what is free and what is locked in orders, with the last price of each coin', async () => {
    const spot = { BTC: { free: '1.50000000', locked: '0.25000000' }, EUR: { free: '100' }, XYZ: { free: '7' } }
    expect(linesOf(await read({ spot }))).toEqual([
      'spot BTC 1.75',
      'spot EUR 100',
      'spot XYZ 7',
      'BTC = 64000.12 USDT',
      'EUR = 1.08 USDT',
    ])
  })

  it('has amounts and prices to the last digit', async () => {
    server.setMarkets([{ base: 'BTC', quote: 'USDT', price: '98765432109876543210.123456789012345678' }])
    const spot = {
      BTC: { free: '0.123456789012345678', locked: '0.100000000000000001' },
      USDT: { free: '123456789012345678901234567890.123456789012345678' },
      ...{ ETH: { free: '0.00000001' }, BNB: { free: '1e-8' } },
    }
    expect(linesOf(await read({ spot }))).toEqual([
      'spot BNB 0.00000001',
      'spot BTC 0.223456789012345679',
      'spot ETH 0.00000001',
      'spot USDT 123456789012345678901234567890.123456789012345678',
      'BTC = 98765432109876543210.123456789012345678 USDT',
    ])
  })

  it('leaves out coins without a balance', async () => {
    expect(balanceLines(await read({ spot: { BTC: { free: '0.00000000' } }, margin: { ETH: {} } }))).toEqual([])
  })

  it('has a funding wallet with what is frozen and on its way out', async () => {
    const funding = { USDT: { free: '1', locked: '0.2', freeze: '0.03', withdrawing: '0.004' } }
    expect(balanceLines(await read({ funding }))).toEqual(['funding USDT 1.234'])
  })

  it('counts what is in Simple Earn once, and takes no coin for its receipt', async () => {
    const spot = { USDT: { free: '1' }, LDUSDT: { free: '50' }, LDO: { free: '3' }, LDNEW: { free: '5' } }
    const flexible = Object.entries({ USDT: '50.00000001', NEW: '5' }).map(([asset, totalAmount]) => ({
      asset,
      totalAmount,
    }))
    const locked = Object.entries({ USDT: '10', BNB: '0.5' }).map(([asset, amount]) => ({ asset, amount }))
    expect(balanceLines(await read({ spot, flexible, locked }))).toEqual([
      'earn BNB 0.5',
      'earn NEW 5',
      'earn USDT 60.00000001',
      'spot LDO 3',
      'spot USDT 1',
    ])
  })

  it('has every page of its positions', async () => {
    const flexible = Array.from({ length: 201 }, (_, index) => ({ asset: `C${index}`, totalAmount: '1' }))
    const { balances } = await read({ flexible })
    expect(balances).toHaveLength(201)
    const pages = server.requests.filter(({ path }) => path === '/sapi/v1/simple-earn/flexible/position')
    expect(pages).toHaveLength(3)
  })

  it('owes what it borrowed on cross and isolated margin, with the interest', async () => {
    const usdt = { free: '10', borrowed: '1000', interest: '0.12345678' }
    const base = { asset: 'ETH', free: '0.000000000000000001', borrowed: '2', interest: '0.5' }
    const isolated = [{ base, quote: { asset: 'USDT', free: '20.5', borrowed: '0.00000001' } }]
    const margin = { BTC: { free: '1', locked: '0.5' }, USDT: usdt }
    expect(balanceLines(await read({ margin, isolated }))).toEqual([
      'margin BTC 1.5',
      'margin ETH 0.000000000000000001 -2.5',
      'margin USDT 30.5 -1000.12345679',
    ])
  })

  it('is priced in what dollars can be had for, and so is what its coins are priced in', async () => {
    server.setMarkets([
      { base: 'AAA', quote: 'BTC', price: '0.001' },
      { base: 'AAA', quote: 'USDT', price: '55', status: 'BREAK' },
      { base: 'BTC', quote: 'EUR', price: '60000' },
      { base: 'BTC', quote: 'USDC', price: '64000' },
      { base: 'USDC', quote: 'USDT', price: '1.0002' },
      { base: 'BBB', quote: 'TRY', price: '3' },
      { base: 'CCC', quote: 'USDT', price: '0.00000000' },
    ])
    const { quotes } = await read({ spot: { AAA: { free: '1' }, BBB: { free: '1' }, CCC: { free: '1' } } })
    expect(quotes.map(({ symbol, quote, price }) => `${symbol} = ${price.toFixed()} ${quote}`)).toEqual([
      'AAA = 0.001 BTC',
      'BTC = 64000 USDC',
      'USDC = 1.0002 USDT',
    ])
  })

  it('is priced in one call, whatever it holds', async () => {
    await read({ spot: { BTC: { free: '1' }, ETH: { free: '1' } }, funding: { BNB: { free: '1' } } })
    const [asked, ...more] = server.requests.filter(({ path }) => path === '/api/v3/ticker/24hr')
    expect(more).toEqual([])
    const symbols = JSON.parse(new URLSearchParams(asked?.query).get('symbols') ?? '') as string[]
    expect(symbols.sort()).toEqual(['BNBUSDT', 'BTCUSDT', 'ETHUSDT'])
    expect(asked?.headers['x-mbx-apikey']).toBeUndefined()
  })

  it('is priced by open markets, and asks for no others', async () => {
    await read({})
    const [asked] = server.requests.filter(({ path }) => path === '/api/v3/exchangeInfo')
    expect(asked?.query).toBe('showPermissionSets=false&symbolStatus=TRADING')
  })

  it('learns of markets that have gone', async () => {
    const exchange = await binance()
    server.setBalances(reader.apiKey, { spot: { ETH: { free: '1' } } })
    await exchange.read(reader)
    server.setMarkets([{ base: 'ETH', quote: 'BTC', price: '0.05' }])
    expect(linesOf(await exchange.read(reader))).toEqual(['spot ETH 1', 'ETH = 0.05 BTC'])
  })

  it('without margin has no margin, and none missing', async () => {
    const { gaps, balances } = await read({ spot: { BTC: { free: '1' } } })
    expect(gaps).toEqual([])
    expect(balances).toHaveLength(1)
    const json = { code: -11001, msg: 'Isolated margin account does not exist.' }
    server.answers.set('/sapi/v1/margin/isolated/account', { status: 400, json })
    expect((await read({})).gaps).toEqual([])
  })
})

describe('a part of an account', () => {
  it('that the key may not read is named, without figures', async () => {
    const balances = {
      ...{ spot: { BTC: { free: '1' }, LDUSDT: { free: '5' } }, funding: { USDT: { free: '2' } } },
      locked: [{ asset: 'BNB', amount: '1' }],
      isolated: [{ base: { asset: 'ETH', free: '1' }, quote: { asset: 'USDT', borrowed: '9' } }],
    }
    expect(balanceLines(await read(balances, narrow))).toEqual([
      'funding USDT 2',
      'spot BTC 1',
      'no earn: not-allowed',
      'no margin: not-allowed',
    ])
  })

  it.each([
    ['fails', { status: 500, text: 'oops' }],
    ['is no JSON', { text: '<html>' }],
    ['has another shape', { json: { userAssets: [{ asset: 'BTC', free: '1' }] } }],
    [
      'is no amount',
      { json: { userAssets: [{ asset: 'BTC', free: 'x', locked: '0', borrowed: '0', interest: '0' }] } },
    ],
  ])('that %s is named as unreadable', async (_what, answer) => {
    server.answers.set('/sapi/v1/margin/account', answer)
    const lines = balanceLines(await read({ spot: { BTC: { free: '1' } } }))
    expect(lines).toEqual(['spot BTC 1', 'no margin: unreadable'])
  })

  it('with fewer positions than it says is named as unreadable', async () => {
    server.answers.set('/sapi/v1/simple-earn/locked/position', { json: { rows: [], total: 1 } })
    expect(balanceLines(await read({ flexible: [{ asset: 'BNB', totalAmount: '1' }] }))).toEqual([
      'no earn: unreadable',
    ])
  })
})

describe('a key of Binance', () => {
  it('says what it may do beyond reading', async () => {
    const exchange = await binance()
    expect(await exchange.permissions(reader)).toEqual({ trade: false, withdraw: false })
    expect(await exchange.permissions(trader)).toEqual({ trade: true, withdraw: true })
    expect(server.paths()).toEqual(Array(2).fill('/sapi/v1/account/apiRestrictions'))
  })

  it('works when the clocks of this machine and the exchange differ', async () => {
    const exchange = await binance()
    for (const skewMs of [3_600_000, -3_600_000]) {
      server.skewMs = skewMs
      expect(balanceLines(await exchange.read(reader))).toEqual([])
      expect(await exchange.permissions(reader)).toEqual({ trade: false, withdraw: false })
    }
    expect(server.paths().filter((path) => path === '/api/v3/time')).toHaveLength(2)
  })
})
