import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type KrakenBalances, type KrakenEmulator, startKraken } from '../../test/exchanges/kraken-emulator.ts'
import { balanceLines, exchangeOf, failureOf, linesOf } from '../../test/exchanges/read-lines.ts'
import { systemClock } from '../lib/clock.ts'
import { createExchanges } from './create-exchanges.ts'

const secretOf = (text: string) => Buffer.from(text).toString('base64')
const reader = { apiKey: 'reader-key', secret: secretOf('reader') }
const narrow = { apiKey: 'narrow-key', secret: secretOf('narrow') }
const trader = { apiKey: 'trader-key', secret: secretOf('trader') }
const depositor = { apiKey: 'depositor-key', secret: secretOf('depositor') }

let server: KrakenEmulator

beforeEach(async () => {
  server = await startKraken({
    accounts: [
      { ...reader },
      { ...narrow, permissions: ['query-funds'] },
      { ...trader, permissions: ['query-funds', 'modify-trades', 'update-withdraw-address'] },
      { ...depositor, permissions: ['query-funds', 'add-funds', 'query-ledger', 'export-data', 'create-ws-token'] },
    ],
  })
})

afterEach(() => server.stop())

function kraken(clock = systemClock) {
  return exchangeOf(createExchanges({ urls: new Map([['kraken', server.url]]), clock }), 'kraken')
}

async function read(balances: KrakenBalances, credentials = reader) {
  server.setBalances(credentials.apiKey, balances)
  return (await kraken()).read(credentials)
}

const balancesOf = (amounts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(amounts).map(([asset, balance]) => [asset, { balance }]))

describe('an account at Kraken', () => {
  it('has coins by their usual names, with their prices', async () => {
    const others = balancesOf({ ZUSD: '25435.2100', XXDG: '5', USDT: '2' })
    const balances = { XXBT: { balance: '1.2435', hold_trade: '0.8423' }, ...others }
    expect(linesOf(await read({ balances }))).toEqual([
      'spot BTC 1.2435',
      'spot DOGE 5',
      'spot USD 25435.21',
      'spot USDT 2',
      'BTC = 64000.1 USD',
      'DOGE = 0.123456789 USD',
      'USDT = 0.9999 USD',
    ])
  })

  it('has amounts to the last digit', async () => {
    const usd = '123456789012345678901234567890.1234567890'
    const balances = balancesOf({ XXBT: '0.123456789012345678', XETH: '0.00000001', ZUSD: usd })
    expect(balanceLines(await read({ balances }))).toEqual([
      'spot BTC 0.123456789012345678',
      'spot ETH 0.00000001',
      'spot USD 123456789012345678901234567890.123456789',
    ])
  })

  it.each([
    ['0.123456789012345678', '0.123456789012345678'],
    ['1.2345678901234567e-5', '0.000012345678901234567'],
    ['12345678901234567890', '12345678901234567890'],
    ['12345678901234567890.1', '12345678901234567890.1'],
    ['1e-8', '0.00000001'],
    ['0.1', '0.1'],
  ])('has amounts to the last digit even where they are sent as numbers: %s', async (sent, shown) => {
    server.answers.set('/0/private/BalanceEx', {
      text: `{"error":[],"result":{"XXBT":{"balance":${sent},"hold_trade":0}}}`,
    })
    expect(balanceLines(await read({}))).toEqual([`spot BTC ${shown}`])
  })

  it('earns with what is staked, bonded, opted in or earning by itself, by the name of the coin itself', async () => {
    const held = {
      DOT: '1',
      'DOT.S': '2',
      'DOT28.S': '3',
      'DOT.P': '4',
      'XBT.M': '0.5',
      'XXBT.F': '0.25',
      'USDT.B': '6',
    }
    const balances = balancesOf({ ...held, 'ETH2.S': '7', 'C98.F': '8' })
    expect(balanceLines(await read({ balances }))).toEqual([
      ...['earn BTC 0.75', 'earn C98 8', 'earn DOT 9', 'earn ETH 7', 'earn USDT 6', 'spot DOT 1'],
    ])
  })

  it('has money on hold and tokenized assets in addition to its coins, and unknown assets by their own names', async () => {
    const balances = balancesOf({ ZUSD: '1', 'USD.HOLD': '2', 'AAPLx.T': '3', 'DOT.Q': '4' })
    expect(balanceLines(await read({ balances }))).toEqual(['spot AAPLX 3', 'spot DOT.Q 4', 'spot USD 3'])
  })

  it('owes the credit it has used, and a balance below zero', async () => {
    const balances = { ZUSD: { balance: '100', credit: '500', credit_used: '40.5' }, ZEUR: { balance: '-12.34' } }
    expect(balanceLines(await read({ balances }))).toEqual(['spot EUR 0 -12.34', 'spot USD 100 -40.5'])
  })

  it('has what is open of its positions on margin: coins against money, or money against coins', async () => {
    const positions = [
      { pair: 'XXBTZUSD', type: 'buy' as const, cost: '104610.52842', vol: '8.82412861', vol_closed: '0.00000000' },
      { pair: 'XETHZUSD', type: 'sell' as const, cost: '6000.00', vol: '2.00000000', vol_closed: '0.50000000' },
      { pair: 'XBTUSD', type: 'buy' as const, cost: '100', vol: '0.1', vol_closed: '0.075' },
    ]
    expect(linesOf(await read({ positions }))).toEqual([
      'margin BTC 8.84912861',
      'margin ETH 0 -1.5',
      'margin USD 4500 -104635.52842',
      'BTC = 64000.1 USD',
      'ETH = 3000.25 USD',
    ])
  })

  it('whose key may not read positions has no margin', async () => {
    const balances = { XXBT: { balance: '1' } }
    expect(balanceLines(await read({ balances }, narrow))).toEqual(['spot BTC 1', 'no margin: not-allowed'])
  })

  it('with a position on an unknown pair has no margin', async () => {
    const positions = [{ pair: 'NEWUSD', type: 'buy' as const, cost: '1', vol: '1', vol_closed: '0' }]
    expect(balanceLines(await read({ positions }))).toEqual(['no margin: unreadable'])
  })
})

describe('a key of Kraken', () => {
  it('says what it may do beyond reading', async () => {
    const exchange = await kraken()
    expect(await exchange.permissions(reader)).toEqual({ trade: false, withdraw: false })
    expect(await exchange.permissions(trader)).toEqual({ trade: true, withdraw: true })
    expect(await exchange.permissions(depositor)).toEqual({ trade: false, withdraw: false })
    expect(server.paths()).toEqual(Array(3).fill('/0/private/GetApiKeyInfo'))
  })

  it('is used by one call after the other, with nonces that grow even while time stands still', async () => {
    const exchange = await kraken({ now: () => 1_800_000_000_000 })
    const reads = await Promise.all(Array.from({ length: 5 }, () => exchange.read(reader)))
    for (const { gaps } of reads) expect(gaps).toEqual([])
    const used = server.requests.filter(({ path }) => path.startsWith('/0/private/'))
    expect(used).toHaveLength(10)
    const nonces = used.map(({ body }) => Number(new URLSearchParams(body).get('nonce')))
    expect(nonces).toEqual([...new Set(nonces)].sort((one, other) => one - other))
  })

  it('continues after another process was a moment ahead with the same key', async () => {
    const exchange = await kraken()
    const answered = exchange.read(reader)
    server.lateNonces = 1
    expect((await answered).gaps).toEqual([])
    expect(server.paths()).not.toContain('/0/public/Time')
  })

  it('is refused when its nonces stay too low', async () => {
    server.lateNonces = 10
    const failure = await failureOf((await kraken()).read(reader))
    expect(failure).toMatchObject({ reason: 'not-allowed', message: 'Kraken refuses the key' })
  })
})
