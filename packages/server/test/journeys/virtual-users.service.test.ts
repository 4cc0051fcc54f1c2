import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@coffer/client'
import { endpoints, type Portfolio } from '@coffer/contract'
import { addresses, type Devnet, devnetConfig, startDevnet } from '@coffer/devnet'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runAdmin } from '../../src/bin/admin.ts'
import type { Env } from '../../src/config/env.ts'
import { NATIVE } from '../../src/domain/evm-address.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import { badInputs } from '../conformance/bad-input.ts'
import { createResponseCheck, type ServedDocument } from '../conformance/checked-response.ts'
import { type BinanceBalances, type BinanceEmulator, startBinance } from '../exchanges/binance-emulator.ts'
import { type KrakenEmulator, startKraken } from '../exchanges/kraken-emulator.ts'
import { patientFetch, startService, type TestService, testClock } from '../harness.ts'

const NOT_FRESH_MS = 61_000
const NOBODY = 'virtual:00000000-0000-4000-8000-000000000000'

const binanceKey = { apiKey: 'binance-key-canary', secret: 'binance-secret-canary' }
const tradingKey = { apiKey: 'binance-trader', secret: 'trader-secret-canary' }
const krakenKey = { apiKey: 'kraken-key-canary', secret: Buffer.from('kraken-secret-canary').toString('base64') }

const atBinance: BinanceBalances = {
  spot: {
    BTC: { free: '0.3', locked: '0.2' },
    USDT: { free: '100' },
    LDO: { free: '50' },
    EUR: { free: '10' },
    XYZ: { free: '7' },
  },
  funding: { ETH: { free: '1' } },
  flexible: [{ asset: 'ETH', totalAmount: '2' }],
  margin: { BTC: { free: '1' }, USDT: { free: '500', borrowed: '20000', interest: '0.5' } },
}

const clock = testClock()
const check = createResponseCheck(openApiDocument(endpoints) as ServedDocument)
const folder = mkdtempSync(join(tmpdir(), 'coffer-virtual-users-'))
const masterKey = '5c'.repeat(32)

let devnet: Devnet
let binance: BinanceEmulator
let kraken: KrakenEmulator
let service: TestService
let env: Env
/** The account whose virtual users these are. */
let account: { id: string; key: string; client: Client }
let hand: string
let onBinance: string
let onKraken: string

beforeAll(async () => {
  devnet = await startDevnet({ state: inject('devnetState') })
  binance = await startBinance({
    accounts: [
      { ...binanceKey, balances: atBinance },
      { ...tradingKey, rights: { enableSpotAndMarginTrading: true, enableWithdrawals: true } },
    ],
  })
  kraken = await startKraken({
    accounts: [
      {
        ...krakenKey,
        balances: {
          balances: {
            XXBT: { balance: '0.25' },
            ZUSD: { balance: '1000' },
            ZEUR: { balance: '5' },
            XXDG: { balance: '100' },
            USDT: { balance: '10' },
            'XBT.M': { balance: '0.1' },
          },
          positions: [{ pair: 'XXBTZUSD', type: 'buy', cost: '5900', vol: '0.1', vol_closed: '0' }],
        },
      },
    ],
  })
  const config = { ...devnetConfig(), exchangeUrls: { binance: binance.url, kraken: kraken.url } }
  const configFile = join(folder, 'coffer.json')
  writeFileSync(configFile, JSON.stringify(config))
  service = await startService({ devnet, config, clock, env: { COFFER_MASTER_KEY: masterKey } })
  env = {
    DATABASE_URL: service.context.database.pool.options.connectionString ?? '',
    COFFER_MASTER_KEY: masterKey,
    COFFER_CONFIG: configFile,
    COFFER_CHAINS: 'ethereum,base',
    COFFER_RPC_ETHEREUM: devnet.chains.ethereum.url,
    COFFER_RPC_BASE: devnet.chains.base.url,
  }
  account = await newAccount(10_000)
  hand = await newUser('BALANCE', 'vault')
  onBinance = await newUser('CEX', 'trading')
  onKraken = await newUser('CEX', 'savings')
})
afterAll(async () => {
  await service?.stop()
  await Promise.all([devnet?.stop(), binance?.stop(), kraken?.stop()])
  rmSync(folder, { recursive: true, force: true })
})

type Run = { code: number; stdout: string; stderr: string }

async function run(args: readonly string[], input = ''): Promise<Run> {
  const output = { stdout: '', stderr: '' }
  const code = await runAdmin(args, {
    env,
    stdin: async () => input,
    stdout: (text) => {
      output.stdout += text
    },
    stderr: (text) => {
      output.stderr += text
    },
  })
  return { code, ...output }
}

/** What an operator's command printed. */
async function admin(...args: string[]) {
  const { code, stdout, stderr } = await run(args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

async function newAccount(credits: number, plan = 'PRO') {
  const { id } = await admin('account', 'create', '--name', 'x', '--plan', plan, '--credits', String(credits))
  const { key } = await admin('key', 'create', '--account', id, '--name', 'x')
  return { id, key, client: createClient({ baseUrl: service.url, apiKey: key, fetch: patientFetch }) } as const
}

async function newUser(type: 'BALANCE' | 'CEX', label: string, of = account): Promise<string> {
  const { address } = await admin('virtual-user', 'create', '--account', of.id, '--type', type, '--label', label)
  return address
}

const setBalance = (address: string, ...args: string[]) => admin('virtual-user', 'set-balance', address, ...args)

async function link(address: string, exchange: string, credentials: object) {
  const { code, stdout, stderr } = await run(
    ['virtual-user', 'link', address, '--exchange', exchange, '--credentials', '-'],
    JSON.stringify(credentials),
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** A GET, checked against the served document. */
async function ask(search: string, { key } = account) {
  const endpoint = endpoints.getVirtualUserPortfolio
  const headers = { authorization: `Bearer ${key}` }
  const response = await patientFetch(`${service.url}${endpoint.path}${search}`, { headers })
  return check(endpoint, response)
}

async function portfoliosOf(search: string): Promise<Portfolio[]> {
  const { status, body } = await ask(search)
  expect(status).toBe(200)
  return body as Portfolio[]
}

const creditsOf = async ({ client } = account) => client.getCredits()
/** What the ledger says was charged, held, posted and given back: `hold 3`, … */
async function ledger({ id } = account): Promise<string[]> {
  const lines = await admin('credits', 'ledger', '--account', id)
  return lines.map(({ kind, amount }: { kind: string; amount: unknown }) => `${kind} ${amount}`)
}

/** `symbol balance value` of flat assets, debts with a minus, in their order. */
const flat = (portfolio: Portfolio | undefined, protocol: string) =>
  portfolio?.assetByProtocols[protocol]?.assets.map(
    ({ symbol, balance, value, side }) => `${side ? '-' : ''}${symbol} ${balance} ${value}`,
  )
/** `type name value` of every position. */
const positions = (portfolio: Portfolio | undefined, protocol: string) =>
  Object.entries(portfolio?.assetByProtocols[protocol]?.chains['cex']?.protocolPositions ?? {}).flatMap(
    ([type, { totalValue, protocolPositions }]) => [
      `${type} ${totalValue}`,
      ...protocolPositions.map(({ name, value }) => `${type} in ${name} ${value}`),
    ],
  )

describe('virtual users of an account', () => {
  it('are listed oldest first, for a credit', async () => {
    const before = await creditsOf()
    expect(await account.client.listVirtualUsers()).toEqual([
      { address: hand, type: 'BALANCE', label: 'vault' },
      { address: onBinance, type: 'CEX', label: 'trading' },
      { address: onKraken, type: 'CEX', label: 'savings' },
    ])
    expect(await creditsOf()).toBe(before - 1)
  })

  it('are nothing before anything is known of them, and unknown where an exchange is not linked', async () => {
    const [empty] = await portfoliosOf(`?addresses=${hand}`)
    expect(empty).toMatchObject({
      address: hand,
      networth: '0',
      cashBalance: '0',
      chains: {},
      asOf: {},
      incomplete: [],
    })
    const before = await ledger()
    const { status, body } = await ask(`?addresses=${hand},${onBinance}`)
    expect({ status, body }).toEqual({
      status: 502,
      body: { error: 'Bad Gateway', message: `${onBinance} is not linked to an exchange` },
    })
    expect((await ledger()).slice(before.length)).toEqual(['hold 2', 'void 2'])
  })

  it('are linked with keys that may only read, which are never on a command line', async () => {
    const before = await service.context.database.pool.query('select count(*) from secret')
    const trading = ['virtual-user', 'link', onBinance, '--exchange', 'binance', '--credentials', '-']
    expect(await run(trading, JSON.stringify(tradingKey))).toEqual({
      code: 1,
      stdout: '',
      stderr: 'This key may trade and withdraw: make one at Binance that may only read.\n',
    })
    const after = await service.context.database.pool.query('select count(*) from secret')
    expect(after.rows).toEqual(before.rows)
    const permissions = { trade: false, withdraw: false }
    expect(await link(onBinance, 'binance', binanceKey)).toMatchObject({ exchange: 'binance', permissions })
    expect(await link(onKraken, 'kraken', krakenKey)).toMatchObject({ exchange: 'kraken', permissions })
  })
})

describe('balances by hand and accounts at two exchanges', () => {
  beforeAll(async () => {
    const at = ['--at', '2026-01-01T00:00:00Z']
    const usdt = addresses.ethereum.tokens.usdt
    await setBalance(hand, '--chain', 'eth', '--contract', NATIVE, '--amount', '1')
    await setBalance(hand, '--chain', 'ethereum', '--contract', NATIVE, '--amount', '2')
    await setBalance(hand, '--chain', 'ethereum', '--contract', NATIVE, '--amount', '9', ...at)
    await setBalance(hand, '--chain', 'ethereum', '--contract', usdt, '--amount', '1000')
    await setBalance(hand, '--chain', 'base', '--contract', addresses.base.tokens.usdc, '--amount', '10')
    await setBalance(hand, '--symbol', 'usd', '--price-source', 'fx', '--amount', '250.5')
    await setBalance(hand, '--symbol', 'HOUSE', '--price-source', 'fixed:350000.25', '--amount', '0.5')
    clock.advance(NOT_FRESH_MS)
  })

  it('by hand: 2 ETH at 3000, 1000 USDT at 1.0001, 10 USDC, 250.5 USD and half a house', async () => {
    const [shown] = await portfoliosOf(`?addresses=${hand}&waitForSync=true`)
    expect(shown).toMatchObject({
      address: hand,
      networth: '182260.725',
      cashBalance: '250.5',
      openPnl: 'N/A',
      closedPnl: 'N/A',
      totalCostBasis: 'N/A',
      chains: {
        ethereum: { value: '7000.1', protocols: ['wallet'] },
        base: { value: '10', protocols: ['wallet'] },
        cex: { key: 'cex', name: 'CEX', value: '175250.625', protocols: ['wallet'] },
      },
      incomplete: [],
    })
    expect(Object.keys(shown?.assetByProtocols ?? {})).toEqual(['wallet'])
    expect(flat(shown, 'wallet')).toEqual([
      'usdc 10 10',
      'eth 2 6000',
      'usdt 1000 1000.1',
      'house 0.5 175000.125',
      'usd 250.5 250.5',
    ])
    expect(Object.keys(shown?.asOf ?? {})).toEqual(['base', 'ethereum'])
    const block = await devnet.chains.ethereum.client.getBlock({
      blockNumber: BigInt(shown?.asOf['ethereum']?.block ?? 0),
    })
    expect(shown?.asOf['ethereum']?.timestamp).toBe(
      new Date(Number(block.timestamp) * 1000).toISOString().replace('.000', ''),
    )
    const house = shown?.assetByProtocols['wallet']?.assets.find(({ symbol }) => symbol === 'house')
    expect(house).toMatchObject({
      ...{ contract: '', contractAddress: '', chain: 'cex', chainKey: 'cex', chainContract: 'cex:house' },
      ...{ price: '350000.25', priceSource: 'fixed', name: 'house' },
    })
  })

  it('at Binance: spot, funding, earn and margin with a debt, each coin at a price that is nobody’s guess', async () => {
    const [shown] = await portfoliosOf(`?addresses=${onBinance}`)
    expect(shown).toMatchObject({
      address: onBinance,
      networth: '79708.37103',
      cashBalance: '10.80108',
      asOf: {},
      incomplete: [],
    })
    expect(shown?.chains).toEqual({ cex: { key: 'cex', name: 'CEX', value: '79708.37103', protocols: ['binance'] } })
    expect(shown?.assetByProtocols['binance']).toMatchObject({ key: 'binance', name: 'Binance', value: '79708.37103' })
    // BTC and ETH by the feeds, USDT at 1.0001 by what is listed on a chain, LDO at 2 USDT, EUR at 1.08 USDT, XYZ by nobody.
    expect(positions(shown, 'binance')).toEqual([
      'DEPOSIT 33210.82108',
      'YIELD 6000',
      'YIELD in Earn 6000',
      'MARGIN 40497.54995',
      'MARGIN in Margin 40497.54995',
    ])
    expect(flat(shown, 'binance')).toEqual([
      'btc 0.5 30000',
      'ldo 50 100.01',
      'usdt 100 100.01',
      'eur 10 10.80108',
      'xyz 7 0',
      'eth 1 3000',
      'eth 2 6000',
      'btc 1 60000',
      'usdt 500 500.05',
      '-usdt 20000.5 20002.50005',
    ])
    const { MARGIN } = shown?.assetByProtocols['binance']?.chains['cex']?.protocolPositions ?? {}
    const [margin] = MARGIN?.protocolPositions ?? []
    expect(margin?.assets).toEqual([])
    expect(margin?.supplyAssets.map(({ symbol }) => symbol)).toEqual(['btc', 'usdt'])
    expect(margin?.borrowAssets).toMatchObject([{ symbol: 'usdt', side: 'borrow', value: '20002.50005' }])
    const sources = shown?.assetByProtocols['binance']?.assets.map(
      ({ symbol, priceSource }) => `${symbol} ${priceSource}`,
    )
    expect(new Set(sources)).toEqual(
      new Set(['btc chainlink', 'ldo binance', 'usdt aave', 'eur binance', 'xyz null', 'eth chainlink']),
    )
  })

  it('at Kraken: what is free, what earns, and a position on margin', async () => {
    const [shown] = await portfoliosOf(`?addresses=${onKraken}`)
    // 15000 + 1000 + 5 · 1.0801 + 12.3456789 + 10.001 free, 6000 earning, 0.1 BTC for 5900 USD of debt.
    expect(shown).toMatchObject({ networth: '22127.7471789', cashBalance: '1005.4005', incomplete: [] })
    expect(positions(shown, 'kraken')).toEqual([
      'DEPOSIT 16027.7471789',
      'YIELD 6000',
      'YIELD in Earn 6000',
      'MARGIN 100',
      'MARGIN in Margin 100',
    ])
  })

  it('all of them: in request order, or as one whose totals are the exact sums, for a credit each', async () => {
    const before = await ledger()
    const query = { addresses: [onKraken, hand, onBinance, hand] as `virtual:${string}`[] }
    const each = await account.client.getVirtualUserPortfolio({ query })
    expect(each.map(({ address, networth }) => [address, networth])).toEqual([
      [onKraken, '22127.7471789'],
      [hand, '182260.725'],
      [onBinance, '79708.37103'],
    ])
    const merged = await account.client.getVirtualUserPortfolio({ query: { ...query, aggregated: true } })
    expect((await ledger()).slice(before.length)).toEqual(['hold 3', 'post 3', 'hold 3', 'post 3'])
    expect(merged).toHaveLength(1)
    const [whole] = merged
    expect(whole).toMatchObject({
      address: [hand, onBinance, onKraken].toSorted().join(','),
      networth: '284096.8432089',
      cashBalance: '1266.70158',
      lastUpdated: String(Math.min(...each.map(({ lastUpdated }) => Number(lastUpdated)))),
      chains: {
        base: { value: '10', protocols: ['wallet'] },
        ethereum: { value: '7000.1', protocols: ['wallet'] },
        cex: { value: '277086.7432089', protocols: ['wallet', 'binance', 'kraken'] },
      },
      incomplete: [],
    })
    expect(whole?.asOf).toEqual(each[1]?.asOf)
    expect(Object.values(whole?.assetByProtocols ?? {}).map(({ key, value }) => [key, value])).toEqual([
      ['wallet', '182260.725'],
      ['binance', '79708.37103'],
      ['kraken', '22127.7471789'],
    ])
    expect(flat(whole, 'binance')).toEqual([
      'btc 1.5 90000',
      'eth 3 9000',
      'usdt 600 600.06',
      'ldo 50 100.01',
      'eur 10 10.80108',
      'xyz 7 0',
      '-usdt 20000.5 20002.50005',
    ])
  })

  it('two of the same exchange: the same coin on the same side is one holding', async () => {
    const twin = await newUser('CEX', 'trading as well')
    await link(twin, 'binance', binanceKey)
    const [whole] = await portfoliosOf(`?addresses=${twin},${onBinance}&aggregated=true`)
    expect(whole?.networth).toBe('159416.74206')
    expect(positions(whole, 'binance')).toEqual([
      'DEPOSIT 66421.64216',
      'YIELD 12000',
      'YIELD in Earn 12000',
      'MARGIN 80995.0999',
      'MARGIN in Margin 80995.0999',
    ])
    const { DEPOSIT } = whole?.assetByProtocols['binance']?.chains['cex']?.protocolPositions ?? {}
    expect(DEPOSIT?.assets.map(({ symbol, balance }) => `${symbol} ${balance}`)).toEqual([
      'btc 1',
      'ldo 100',
      'usdt 200',
      'eur 20',
      'xyz 14',
      'eth 2',
    ])
    await admin('virtual-user', 'remove', twin)
  })

  it('have pictures that are served, and links where there is an explorer', async () => {
    const search = `?addresses=${hand},${onBinance}&includeImages=true&includeExplorerUrls=true`
    const shown = await portfoliosOf(search)
    const protocols = shown.flatMap(({ assetByProtocols }) => Object.values(assetByProtocols))
    const assets = protocols.flatMap(({ assets }) => assets)
    for (const { chainKey, contract, explorerUrl } of assets) {
      const expected: Record<string, string> = { ethereum: 'https://etherscan.io', base: 'https://basescan.org' }
      const origin = expected[chainKey]
      expect(explorerUrl).toBe(origin && `${origin}/token/${contract}`)
    }
    const chains = shown.flatMap(({ chains }) => Object.values(chains))
    expect(chains.filter(({ explorerAddressUrl }) => explorerAddressUrl)).toEqual([])
    for (const url of new Set([...assets, ...protocols, ...chains].map(({ imgSmall }) => imgSmall ?? ''))) {
      const { status, headers } = await fetch(url)
      expect([url, status, headers.get('content-type')]).toEqual([url, 200, 'image/svg+xml; charset=utf-8'])
    }
    expect(
      (await service.get(`/v1/virtual-users/portfolio?addresses=${hand}`, { authorization: `Bearer ${account.key}` }))
        .text,
    ).not.toMatch(/img|explorer/)
  })
})

describe('freshness', () => {
  it('a minute from memory, then the old once more while the new is read; waiting gets the new', async () => {
    clock.advance(NOT_FRESH_MS)
    const networth = async (search = '') => (await portfoliosOf(`?addresses=${onBinance}${search}`))[0]?.networth
    expect(await networth('&waitForSync=true')).toBe('79708.37103')
    const calls = binance.requests.length
    binance.setBalances(binanceKey.apiKey, { spot: { BTC: { free: '1' } } })
    clock.advance(30_000)
    expect(await networth('&waitForSync=true')).toBe('79708.37103')
    expect(binance.requests.length).toBe(calls)
    clock.advance(31_000)
    expect(await networth()).toBe('79708.37103')
    await expect.poll(() => networth()).toBe('60000')
    binance.setBalances(binanceKey.apiKey, atBinance)
    clock.advance(NOT_FRESH_MS)
    expect(await networth('&waitForSync=true')).toBe('79708.37103')
  })

  it('requests at the same time share one read', async () => {
    clock.advance(NOT_FRESH_MS)
    const before = binance.paths().filter((path) => path === '/api/v3/account').length
    await Promise.all(Array.from({ length: 8 }, () => portfoliosOf(`?addresses=${onBinance}&waitForSync=true`)))
    expect(binance.paths().filter((path) => path === '/api/v3/account').length).toBe(before + 1)
  })

  it('an operator reads anew at once', async () => {
    const calls = binance.requests.length
    const [read] = await admin('virtual-user', 'sync', onBinance)
    expect(read).toMatchObject({ chain: 'cex', protocol: 'binance', holdings: 9, incomplete: [] })
    expect(binance.requests.length).toBeGreaterThan(calls)
    expect(await admin('virtual-user', 'sync', hand)).toMatchObject([
      { chain: 'base', holdings: 1, incomplete: [] },
      { chain: 'ethereum', holdings: 2, incomplete: [] },
      { chain: 'cex', holdings: 2, incomplete: [] },
    ])
  })
})

describe('an exchange that cannot be read', () => {
  const stale = [{ chain: 'cex', protocol: 'binance', reason: 'stale' }]

  it.each(['down', '500', 'bad-json', '429'] as const)('%s: what was last known, marked', async (mode) => {
    const [before] = await portfoliosOf(`?addresses=${onBinance}`)
    binance.mode = mode
    clock.advance(NOT_FRESH_MS)
    const [shown] = await portfoliosOf(`?addresses=${onBinance}&waitForSync=true`)
    expect(shown).toEqual({ ...before, incomplete: stale })
    const [whole] = await portfoliosOf(`?addresses=${hand},${onBinance}&aggregated=true`)
    expect(whole?.incomplete).toEqual(stale)
    binance.mode = 'ok'
    clock.advance(NOT_FRESH_MS)
    const [again] = await portfoliosOf(`?addresses=${onBinance}&waitForSync=true`)
    expect(again).toMatchObject({ networth: before?.networth, incomplete: [] })
  })

  it('never read: 502 for the whole call, and nothing is charged', async () => {
    const fresh = await newUser('CEX', 'new')
    await link(fresh, 'binance', binanceKey)
    binance.mode = 'down'
    const before = await ledger()
    const { status, body } = await ask(`?addresses=${hand},${fresh}&aggregated=true`)
    binance.mode = 'ok'
    expect({ status, body }).toEqual({
      status: 502,
      body: { error: 'Bad Gateway', message: `${fresh} could not be read; try again` },
    })
    expect((await ledger()).slice(before.length)).toEqual(['hold 2', 'void 2'])
    await admin('virtual-user', 'remove', fresh)
  })

  it('a secret that was tampered with: what was last known, marked, and never its text', async () => {
    const [before] = await portfoliosOf(`?addresses=${onBinance}`)
    const { pool } = service.context.database
    const secretId = '(select secret_id from exchange_link where virtual_user_id = $1)'
    const flip = `update secret set ciphertext = set_byte(ciphertext, 20, get_byte(ciphertext, 20) # 1) where id = ${secretId}`
    await pool.query(flip, [onBinance.replace('virtual:', '')])
    clock.advance(NOT_FRESH_MS)
    const { status, body } = await ask(`?addresses=${onBinance}&waitForSync=true`)
    expect(status).toBe(200)
    expect(body).toEqual([{ ...before, incomplete: stale }])
    const told = await run(['virtual-user', 'sync', onBinance])
    expect(told).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The secret \S+ is not as it was written\.\n$/),
    })
    expect(JSON.stringify([body, told])).not.toContain('canary')
    await pool.query('delete from virtual_user_read where virtual_user_id = $1', [onBinance.replace('virtual:', '')])
    clock.advance(NOT_FRESH_MS)
    expect((await ask(`?addresses=${onBinance}`)).status).toBe(502)
    await pool.query(flip, [onBinance.replace('virtual:', '')])
    clock.advance(NOT_FRESH_MS)
    expect((await portfoliosOf(`?addresses=${onBinance}`))[0]?.networth).toBe(before?.networth)
  })

  it('no credentials are anywhere in the database', async () => {
    const { pool } = service.context.database
    const { rows: tables } = await pool.query("select tablename from pg_tables where schemaname = 'public'")
    for (const { tablename } of tables) {
      const { rows } = await pool.query(`select coalesce(string_agg(t::text, ''), '') as dump from "${tablename}" t`)
      expect(rows[0].dump, tablename).not.toMatch(/canary/)
    }
  })
})

describe('refusals', () => {
  const titled = (error: string) => ({ error, message: expect.any(String) })

  it("another account's virtual user, nobody's and what is no id are told alike, one being enough", async () => {
    const other = await newAccount(10)
    const theirs = await newUser('BALANCE', 'theirs', other)
    const before = await ledger()
    const foreign = [theirs, NOBODY, 'virtual:x', 'virtual:1', hand.toUpperCase().replace('VIRTUAL', 'virtual')]
    const answers = await Promise.all(
      foreign
        .flatMap((address) => [`?addresses=${address}`, `?addresses=${hand},${address}&aggregated=true`])
        .map((search) => ask(search)),
    )
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({
        status: 403,
        body: { error: 'Forbidden', message: 'One of these virtual users does not belong to this account' },
      })
    }
    expect(await ledger()).toEqual(before)
    expect(await other.client.listVirtualUsers()).toEqual([{ address: theirs, type: 'BALANCE', label: 'theirs' }])
  })

  it('bad input is refused without a line in the ledger', async () => {
    const before = await ledger()
    const eleven = Array.from({ length: 11 }, (_, n) => `virtual:${n}`)
    const exact: [string, string][] = [
      ['', 'addresses: is required: a comma-separated list of virtual user addresses'],
      ['?addresses=', 'addresses: must name at least one address'],
      ['?addresses=,%20,', 'addresses: must name at least one address'],
      [`?addresses=${eleven}`, 'addresses: must name at most 10 addresses'],
      ['?addresses=zzz', 'addresses: not a virtual user address, which is virtual:<id>: zzz'],
      [`?addresses=${hand},0x12`, 'addresses: not a virtual user address, which is virtual:<id>: 0x12'],
      ['?addresses=virtual:', 'addresses: not a virtual user address, which is virtual:<id>: virtual:'],
      [`?addresses=${hand}&aggregated=yes`, 'aggregated: must be true or false'],
      [`?addresses=${hand}&waitForSync=`, 'waitForSync: must be true or false'],
      [`?addresses=${hand}&includeImages=1`, 'includeImages: must be true or false'],
      [
        `?addresses=${hand}&includeExplorerUrls=true&includeExplorerUrls=true`,
        'includeExplorerUrls: must be true or false',
      ],
    ]
    for (const [search, message] of exact) {
      const { status, body } = await ask(search)
      expect({ search, status, body }).toEqual({ search, status: 400, body: { error: 'Bad Request', message } })
    }
    for (const { search = '' } of badInputs(
      endpoints.getVirtualUserPortfolio,
      new URLSearchParams({ addresses: hand }),
    )) {
      const { status, body } = await ask(`?${search}`)
      expect([search.slice(0, 80), status, body]).toEqual([search.slice(0, 80), 400, titled('Bad Request')])
    }
    expect(await ledger()).toEqual(before)
  })

  it('take their turn: 403 without Pro, then 400, then 403 of an id, then 402', async () => {
    const poor = await newAccount(1)
    const theirs = await newUser('BALANCE', 'a', poor)
    const second = await newUser('BALANCE', 'b', poor)
    const lite = await newAccount(10, 'LITE')
    expect(await ask('?addresses=zzz', lite)).toMatchObject({ status: 403, body: titled('Forbidden') })
    const free = await newAccount(10, 'FREE')
    const list = await patientFetch(`${service.url}/v1/virtual-users`, {
      headers: { authorization: `Bearer ${free.key}` },
    })
    expect([list.status, await list.json()]).toEqual([
      403,
      { error: 'Forbidden', message: 'This endpoint needs the Pro plan' },
    ])
    const before = await ledger(poor)
    const two = `${theirs},${second}`
    expect((await ask(`?addresses=${two},zzz`, poor)).status).toBe(400)
    expect((await ask(`?addresses=${two},${hand}`, poor)).status).toBe(403)
    expect(await ask(`?addresses=${two},${theirs}`, poor)).toMatchObject({
      status: 402,
      body: { message: expect.any(String), creditsRequired: 2, creditsAvailable: 1, creditsNeeded: 2 },
    })
    expect(await ledger(poor)).toEqual(before)
    expect((await ask(`?addresses=${second},${second}`, poor)).status).toBe(200)
    expect(await creditsOf(poor)).toBe(0)
    expect(await ledger(free)).toEqual(['grant 10'])
    expect(await ledger(lite)).toEqual(['grant 10'])
  })

  it('what was removed is nobody’s at once', async () => {
    const gone = await newUser('BALANCE', 'gone')
    expect((await ask(`?addresses=${gone}`)).status).toBe(200)
    await admin('virtual-user', 'remove', gone)
    expect((await ask(`?addresses=${gone}`)).status).toBe(403)
  })

  it('leave the ledger clean', async () => {
    expect(await service.ledgerProblems()).toEqual([])
  })
})
