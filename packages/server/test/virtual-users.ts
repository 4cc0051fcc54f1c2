import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@coffer/client'
import { endpoints, type Portfolio } from '@coffer/contract'
import { type Devnet, devnetConfig, startDevnet } from '@coffer/devnet'
import { expect, inject } from 'vitest'
import { openApiDocument } from '../src/http/openapi.ts'
import { createResponseCheck, type ServedDocument } from './conformance/checked-response.ts'
import { type BinanceBalances, type BinanceEmulator, startBinance } from './exchanges/binance-emulator.ts'
import { type KrakenBalances, type KrakenEmulator, startKraken } from './exchanges/kraken-emulator.ts'
import { patientFetch, type ServiceOptions, startService, type TestService, testClock } from './harness.ts'
import { type Operator, operator } from './operator.ts'

/** Marks every secret of an exchange, to find leaks. */
export const CANARY = 'canary'

export const binanceKey = { apiKey: 'binance-key-canary', secret: 'binance-secret-canary' }
/** It may trade and withdraw. */
export const tradingKey = { apiKey: 'binance-trader', secret: 'trader-secret-canary' }
export const krakenKey = {
  apiKey: 'kraken-key-canary',
  secret: Buffer.from('kraken-secret-canary').toString('base64'),
}

/** Worth `BINANCE_USD` at the devnet's prices and the emulator's. */
export const atBinance: BinanceBalances = {
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
/**
 * BTC 60000 and ETH 3000 by their feeds, USDT 1.0001 on its chain, LDO 2 USDT, EUR 1.08 USDT, XYZ nothing: 30000 +
 * 100.01 + 100.01 + 10.80108 + 3000 + 6000 + 60000 + 500.05 − 20002.50005.
 */
export const BINANCE_USD = '79708.37103'

const atKraken: KrakenBalances = {
  balances: {
    XXBT: { balance: '0.25' },
    ZUSD: { balance: '1000' },
    ZEUR: { balance: '5' },
    XXDG: { balance: '100' },
    USDT: { balance: '10' },
    'XBT.M': { balance: '0.1' },
  },
  positions: [{ pair: 'XXBTZUSD', type: 'buy', cost: '5900', vol: '0.1', vol_closed: '0' }],
}

const MASTER_KEY = '5c'.repeat(32)

/** Plan PRO by default. */
export type Customer = { id: string; key: string; client: Client }
export type VirtualAddress = `virtual:${string}`

/** Local chains, two emulated exchanges, and an operator who creates virtual users. */
export type VirtualUsers = Operator & {
  devnet: Devnet
  binance: BinanceEmulator
  kraken: KrakenEmulator
  service: TestService
  clock: ReturnType<typeof testClock>
  newCustomer(credits: number, plan?: string): Promise<Customer>
  newUser(of: Customer, type: 'BALANCE' | 'CEX', label?: string): Promise<VirtualAddress>
  link(address: string, exchange: 'binance' | 'kraken', credentials: object): Promise<unknown>
  /** Checked against the served document. */
  ask(as: Customer, search: string): Promise<{ status: number; body: unknown }>
  portfolios(as: Customer, search: string): Promise<Portfolio[]>
  /** Given, held, posted and given back: `hold 3`, … */
  ledger(of: Customer): Promise<string[]>
  stop(): Promise<void>
}

export async function startVirtualUsers(options: Partial<ServiceOptions> = {}): Promise<VirtualUsers> {
  const opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'coffer-virtual-users-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const devnet = opened.adopt(await startDevnet({ state: inject('devnetState') }), ({ stop }) => stop())
  const rights = { enableSpotAndMarginTrading: true, enableWithdrawals: true }
  const accounts = [
    { ...binanceKey, balances: atBinance },
    { ...tradingKey, rights },
  ]
  const binance = opened.adopt(await startBinance({ accounts }), ({ stop }) => stop())
  const kraken = opened.adopt(await startKraken({ accounts: [{ ...krakenKey, balances: atKraken }] }), ({ stop }) =>
    stop(),
  )

  const config = { ...devnetConfig(), exchangeUrls: { binance: binance.url, kraken: kraken.url } }
  const configFile = join(folder, 'coffer.json')
  writeFileSync(configFile, JSON.stringify(config))
  const clock = testClock()
  const env = { COFFER_MASTER_KEY: MASTER_KEY }
  const service = opened.adopt(await startService({ ...options, devnet, config, clock, env }), ({ stop }) => stop())
  const terminal = operator({
    ...env,
    DATABASE_URL: service.context.database.pool.options.connectionString ?? '',
    COFFER_CONFIG: configFile,
    COFFER_CHAINS: 'ethereum,base',
    COFFER_RPC_ETHEREUM: devnet.chains.ethereum.url,
    COFFER_RPC_BASE: devnet.chains.base.url,
  })
  return {
    ...{ devnet, binance, kraken, service, clock },
    ...terminal,
    ...customers(service, terminal),
    stop: () => opened.disposeAsync(),
  }
}

function customers({ url }: TestService, { run, admin }: Operator) {
  const check = createResponseCheck(openApiDocument(endpoints) as ServedDocument)
  const endpoint = endpoints.getVirtualUserPortfolio

  async function ask({ key }: Customer, search: string) {
    const headers = { authorization: `Bearer ${key}` }
    return check(endpoint, await patientFetch(`${url}${endpoint.path}${search}`, { headers }))
  }

  return {
    ask,
    async newCustomer(credits: number, plan = 'PRO'): Promise<Customer> {
      const { id } = await admin('account', 'create', '--name', 'x', '--plan', plan, '--credits', String(credits))
      const { key } = await admin('key', 'create', '--account', id, '--name', 'x')
      return { id, key, client: createClient({ baseUrl: url, apiKey: key, fetch: patientFetch, retries: 0 }) }
    },
    async newUser({ id }: Customer, type: 'BALANCE' | 'CEX', label = 'x'): Promise<VirtualAddress> {
      const { address } = await admin('virtual-user', 'create', '--account', id, '--type', type, '--label', label)
      return address
    },
    async link(address: string, exchange: 'binance' | 'kraken', credentials: object): Promise<unknown> {
      const args = ['virtual-user', 'link', address, '--exchange', exchange, '--credentials', '-']
      const { code, stdout, stderr } = await run(args, JSON.stringify(credentials))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return JSON.parse(stdout)
    },
    async portfolios(as: Customer, search: string): Promise<Portfolio[]> {
      const { status, body } = await ask(as, search)
      expect(status).toBe(200)
      return body as Portfolio[]
    },
    async ledger({ id }: Customer): Promise<string[]> {
      const lines = await admin('credits', 'ledger', '--account', id)
      return lines.map(({ kind, amount }: { kind: string; amount: unknown }) => `${kind} ${amount}`)
    },
  }
}
