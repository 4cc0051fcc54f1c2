import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBinance } from '../../test/exchanges/binance-emulator.ts'
import { type EmulatedExchange, type EmulatorRequest, startEmulator } from '../../test/exchanges/emulated-exchange.ts'
import { exchangeOf, failureOf, linesOf } from '../../test/exchanges/read-lines.ts'
import { systemClock } from '../lib/clock.ts'
import { createExchanges } from './create-exchanges.ts'

const none: ReadonlyMap<string, string> = new Map()

describe('the exchanges', () => {
  it('are listed by key, with what each wants to know', async () => {
    const exchanges = createExchanges({ urls: none, clock: systemClock })
    const list = await exchanges.list()
    const keys = list.map(({ key }) => key)
    expect(keys).toEqual([...keys].sort())
    expect(keys.length).toBeGreaterThan(80)
    expect(list).toContainEqual({ key: 'binance', name: 'Binance' })
    expect((await exchangeOf(exchanges, 'okx')).needs).toEqual(['apiKey', 'secret', 'password'])
    expect(await exchanges.find('hyperliquid')).toBeUndefined()
    expect(await exchanges.find('constructor')).toBeUndefined()
  })

  it('load nothing and call no exchange before the first read, and then one exchange alone', async () => {
    const server = await startBinance({ accounts: [{ apiKey: 'key', secret: 'secret' }] })
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      const { createExchanges } = await import('${new URL('./create-exchanges.ts', import.meta.url)}')
      const exchanges = createExchanges({ urls: new Map([['binance', '${server.url}']]), clock: { now: Date.now } })
      await exchanges.list()
      const binance = await exchanges.find('binance')
      const before = loaded.filter((url) => url.includes('/ccxt/')).length
      await binance.read({ apiKey: 'key', secret: 'secret' })
      const after = loaded.map((url) => /ccxt\\/js\\/src\\/([a-z]+)\\.js$/.exec(url)?.[1]).filter(Boolean)
      console.log(JSON.stringify({ before, after }))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    expect(JSON.parse(stdout)).toEqual({ before: 0, after: ['binance'] })
    await server.stop()
  })

  it('ask only a relay', async () => {
    const server = await startBinance({ accounts: [{ apiKey: 'key', secret: 'secret' }] })
    const urls = new Map([['binance', `${server.url}/relay/`]])
    const binance = await exchangeOf(createExchanges({ urls, clock: systemClock }), 'binance')
    await failureOf(binance.read({ apiKey: 'key', secret: 'secret' }))
    expect(server.paths()).toEqual(['/relay/api/v3/exchangeInfo'])
    await server.stop()
  })
})

describe('an exchange that nothing is written for', () => {
  const account = { apiKey: 'okx-key', secret: 'okx-secret', password: 'okx-passphrase' }
  let server: EmulatedExchange

  /** OKX's documented REST API: trading account, funding account, spot markets, tickers. */
  const answers: Readonly<Record<string, unknown>> = {
    '/api/v5/public/instruments': [
      {
        ...{ instType: 'SPOT', instId: 'BTC-USDT', baseCcy: 'BTC', quoteCcy: 'USDT', state: 'live' },
        ...{ tickSz: '0.1', lotSz: '0.00000001', minSz: '0.00001' },
      },
    ],
    '/api/v5/account/balance': [
      {
        uTime: '1700000000000',
        details: [
          { ccy: 'BTC', eq: '1.123456789012345678', availBal: '1', frozenBal: '0.123456789012345678', uTime: '1' },
          { ccy: 'USDT', eq: '12345678901234567890.5', availBal: '12345678901234567890.5', frozenBal: '0', uTime: '1' },
        ],
      },
    ],
    '/api/v5/asset/balances': [{ ccy: 'USDT', bal: '0.00000001', availBal: '0.00000001', frozenBal: '0' }],
    '/api/v5/market/tickers': [
      { instType: 'SPOT', instId: 'BTC-USDT', last: '64000.123456789012345678', open24h: '1', ts: '1700000000000' },
    ],
  }

  function isSigned({ method, path, query, body, headers }: EmulatorRequest): boolean {
    const text = `${headers['ok-access-timestamp']}${method}${path}${query && '?'}${query}${body}`
    return (
      headers['ok-access-key'] === account.apiKey &&
      headers['ok-access-passphrase'] === account.password &&
      headers['ok-access-sign'] === createHmac('sha256', account.secret).update(text).digest('base64')
    )
  }

  beforeEach(async () => {
    server = await startEmulator({
      tooMany: { code: '50011', msg: 'Too Many Requests', data: [] },
      answer(request) {
        const isPublic = /\/(public|market)\//.test(request.path)
        if (!isPublic && !isSigned(request))
          return { status: 401, json: { code: '50113', msg: 'Invalid Sign', data: [] } }
        return { json: { code: '0', msg: '', data: answers[request.path] ?? [] } }
      },
    })
  })
  afterEach(() => server.stop())

  function okx() {
    const urls = new Map([['okx', server.url]])
    return exchangeOf(createExchanges({ urls, clock: systemClock }), 'okx')
  }

  it('is read as far as ccxt has it: the main account, the funding account, prices', async () => {
    expect(linesOf(await (await okx()).read(account))).toEqual([
      'funding USDT 0.00000001',
      'spot BTC 1.123456789012345678',
      'spot USDT 12345678901234567890.5',
      'BTC = 64000.123456789012345678 USDT',
    ])
  })

  it('does not report the permissions of a key', async () => {
    expect(await (await okx()).permissions(account)).toEqual({ trade: null, withdraw: null })
    expect(server.requests).toEqual([])
  })

  it('fails as a whole with its main account, and names another that fails', async () => {
    const exchange = await okx()
    server.answers.set('/api/v5/asset/balances', { status: 500, text: '' })
    const { gaps } = await exchange.read(account)
    expect(gaps).toEqual([{ account: 'funding', reason: 'unreadable' }])
    server.answers.set('/api/v5/account/balance', { status: 500, text: '' })
    expect(await failureOf(exchange.read(account))).toMatchObject({
      reason: 'unavailable',
      message: 'OKX cannot be reached',
    })
  })

  it('refuses a wrong key', async () => {
    expect(await failureOf((await okx()).read({ ...account, secret: 'wrong' }))).toMatchObject({
      reason: 'not-allowed',
      message: 'OKX refuses the key',
    })
  })
})
