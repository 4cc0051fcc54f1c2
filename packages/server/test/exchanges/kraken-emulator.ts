import { createHash, createHmac } from 'node:crypto'
import { type EmulatedExchange, type EmulatorAnswer, type EmulatorRequest, startEmulator } from './emulated-exchange.ts'

// Kraken's documented Spot REST API.

type KrakenBalance = { balance: string; hold_trade?: string; credit?: string; credit_used?: string }

export type KrakenPosition = {
  pair: string
  type: 'buy' | 'sell'
  cost: string
  vol: string
  vol_closed: string
}

/** By Kraken's asset IDs (`XXBT`, `DOT28.S`); `positions` on margin. */
export type KrakenBalances = {
  balances?: Readonly<Record<string, KrakenBalance>>
  positions?: readonly KrakenPosition[]
}

export type KrakenAccount = {
  apiKey: string
  /** Base64, as Kraken gives it. */
  secret: string
  balances?: KrakenBalances
  /** Reading funds and open positions by default. */
  permissions?: readonly string[]
}

export type KrakenAsset = readonly [id: string, altname: string]
export type KrakenPair = { id: string; altname: string; base: string; quote: string; price: string; status?: string }

export type KrakenEmulator = EmulatedExchange & {
  setBalances(apiKey: string, balances: KrakenBalances): void
  /** Nonces to refuse, as if another process had used a higher one of the same key. */
  lateNonces: number
}

const defaultAssets: readonly KrakenAsset[] = [
  ['XXBT', 'XBT'],
  ['XETH', 'ETH'],
  ['XXDG', 'XDG'],
  ['ZUSD', 'USD'],
  ['ZEUR', 'EUR'],
  ['DOT', 'DOT'],
  ['C98', 'C98'],
  ['USDT', 'USDT'],
  ['DOT.S', 'DOT.S'],
  ['XBT.M', 'XBT.M'],
]

const defaultPairs: readonly KrakenPair[] = [
  { id: 'XXBTZUSD', altname: 'XBTUSD', base: 'XXBT', quote: 'ZUSD', price: '64000.10000' },
  { id: 'XETHZUSD', altname: 'ETHUSD', base: 'XETH', quote: 'ZUSD', price: '3000.25000' },
  { id: 'XETHXXBT', altname: 'ETHXBT', base: 'XETH', quote: 'XXBT', price: '0.046880' },
  { id: 'XDGUSD', altname: 'XDGUSD', base: 'XXDG', quote: 'ZUSD', price: '0.123456789' },
  { id: 'ZEURZUSD', altname: 'EURUSD', base: 'ZEUR', quote: 'ZUSD', price: '1.08010' },
  { id: 'DOTUSD', altname: 'DOTUSD', base: 'DOT', quote: 'ZUSD', price: '4.1234' },
  { id: 'USDTZUSD', altname: 'USDTUSD', base: 'USDT', quote: 'ZUSD', price: '0.99990' },
]

const readingOnly = ['query-funds', 'query-open-trades']
const needed: Readonly<Record<string, string>> = { BalanceEx: 'query-funds', OpenPositions: 'query-open-trades' }

const refusal = (error: string): EmulatorAnswer => ({ json: { error: [error] } })
const result = (value: unknown): EmulatorAnswer => ({ json: { error: [], result: value } })

/** Checks key, nonce (growing per key), signature and permission as Kraken does. */
export async function startKraken({
  accounts,
  assets = defaultAssets,
  pairs = defaultPairs,
}: {
  accounts: readonly KrakenAccount[]
  assets?: readonly KrakenAsset[]
  pairs?: readonly KrakenPair[]
}): Promise<KrakenEmulator> {
  const balances = new Map(accounts.map((account) => [account.apiKey, account.balances ?? {}]))
  const nonces = new Map<string, number>()

  const emulator = await startEmulator({
    tooMany: { error: ['EAPI:Rate limit exceeded'] },
    answer: (request) => openAnswer(request) ?? privateAnswer(request),
  })

  function openAnswer({ path, query }: EmulatorRequest): EmulatorAnswer | undefined {
    if (path === '/0/public/Time') return result({ unixtime: Math.floor(Date.now() / 1_000), rfc1123: '' })
    if (path === '/0/public/Assets') return result(Object.fromEntries(assets.map(assetInfo)))
    if (path === '/0/public/AssetPairs')
      return result(Object.fromEntries(pairs.map((pair) => [pair.id, pairInfo(pair)])))
    if (path !== '/0/public/Ticker') return undefined
    const asked = (new URLSearchParams(query).get('pair') ?? '').split(',')
    const found = asked.map((name) => pairs.find(({ id, altname }) => id === name || altname === name))
    if (found.includes(undefined)) return refusal('EQuery:Unknown asset pair')
    return result(Object.fromEntries(found.map((pair) => [pair?.id, ticker(pair?.price ?? '')])))
  }

  function privateAnswer(request: EmulatorRequest): EmulatorAnswer {
    const account = accounts.find(({ apiKey }) => apiKey === request.headers['api-key'])
    const nonce = Number(new URLSearchParams(request.body).get('nonce'))
    const call = request.path.replace('/0/private/', '')
    const problem = problemOf(request, account, nonce, call)
    if (problem !== undefined || !account) return refusal(problem ?? 'EAPI:Invalid key')
    const { balances: rows = {}, positions = [] } = balances.get(account.apiKey) ?? {}
    if (call === 'BalanceEx') return result(Object.fromEntries(Object.entries(rows).map(balanceInfo)))
    if (call === 'OpenPositions') return result(Object.fromEntries(positions.map(positionInfo)))
    if (call === 'GetApiKeyInfo') return result(keyInfo(account, nonce))
    return refusal('EGeneral:Unknown method')
  }

  /** A nonce counts as used once the signature is right. */
  function problemOf(
    request: EmulatorRequest,
    account: KrakenAccount | undefined,
    nonce: number,
    call: string,
  ): string | undefined {
    if (!account) return 'EAPI:Invalid key'
    if (kraken.lateNonces-- > 0 || !(nonce > (nonces.get(account.apiKey) ?? 0))) return 'EAPI:Invalid nonce'
    if (signatureOf(request, account.secret) !== request.headers['api-sign']) return 'EAPI:Invalid signature'
    nonces.set(account.apiKey, nonce)
    const permission = needed[call]
    const isAllowed = permission === undefined || (account.permissions ?? readingOnly).includes(permission)
    return isAllowed ? undefined : 'EGeneral:Permission denied'
  }

  const kraken: KrakenEmulator = Object.assign(emulator, {
    lateNonces: 0,
    setBalances: (apiKey: string, next: KrakenBalances) => void balances.set(apiKey, next),
  })
  return kraken
}

/** HMAC-SHA512 of path and SHA-256(nonce + body), with the decoded secret. */
function signatureOf({ path, body }: EmulatorRequest, secret: string): string {
  const nonce = new URLSearchParams(body).get('nonce') ?? ''
  const digest = createHash('sha256')
    .update(nonce + body)
    .digest()
  return createHmac('sha512', Buffer.from(secret, 'base64')).update(path).update(digest).digest('base64')
}

function assetInfo([id, altname]: KrakenAsset): [string, unknown] {
  return [id, { aclass: 'currency', altname, decimals: 10, display_decimals: 5, status: 'enabled' }]
}

function pairInfo({ altname, base, quote, status = 'online' }: KrakenPair): unknown {
  return {
    altname,
    wsname: altname,
    aclass_base: 'currency',
    base,
    aclass_quote: 'currency',
    quote,
    lot: 'unit',
    pair_decimals: 5,
    cost_decimals: 5,
    lot_decimals: 8,
    lot_multiplier: 1,
    leverage_buy: [2, 3],
    leverage_sell: [2, 3],
    fees: [[0, 0.4]],
    fees_maker: [[0, 0.25]],
    fee_volume_currency: 'ZUSD',
    ordermin: '0.0001',
    costmin: '0.5',
    tick_size: '0.1',
    status,
  }
}

function ticker(price: string): unknown {
  const range = [price, price]
  return {
    a: [price, '1', '1.000'],
    b: [price, '1', '1.000'],
    c: [price, '0.00067643'],
    v: ['4083.67', '4083.67'],
    p: range,
    t: [61_372, 61_372],
    l: range,
    h: range,
    o: price,
  }
}

function balanceInfo([id, row]: [string, KrakenBalance]): [string, unknown] {
  return [id, { hold_trade: '0.0000000000', ...row }]
}

function positionInfo(position: KrakenPosition, index: number): [string, unknown] {
  return [
    `TF5GVO-T7ZZ2-6NBKB${index}`,
    {
      ordertxid: `OLWNFG-LLH4R-D6SFF${index}`,
      posstatus: 'open',
      time: 1_605_280_097.8294,
      ordertype: 'limit',
      fee: '0.20800',
      margin: '20.80000',
      terms: '0.0100% per 4 hours',
      rollovertm: '1616672637',
      misc: '',
      oflags: '',
      ...position,
    },
  ]
}

function keyInfo({ apiKey, permissions = readingOnly }: KrakenAccount, nonce: number): unknown {
  return {
    apiKeyName: 'my-api-key',
    apiKey,
    nonce: String(nonce),
    nonceWindow: 0,
    permissions,
    validUntil: '0',
    queryFrom: '0',
    queryTo: '0',
    createdTime: '1772542900',
    modifiedTime: '1772543095',
    ipAllowlist: [],
    lastUsed: '1772627061',
  }
}
