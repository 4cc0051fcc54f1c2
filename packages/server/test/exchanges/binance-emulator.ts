import { createHmac } from 'node:crypto'
import { type EmulatedExchange, type EmulatorAnswer, type EmulatorRequest, startEmulator } from './emulated-exchange.ts'

// Binance's documented REST API: Spot, Wallet, Margin Trading, Simple Earn.

type Borrowable = { free?: string; locked?: string; borrowed?: string; interest?: string }

/** By asset; absent amounts are zero. */
export type BinanceBalances = {
  spot?: Readonly<Record<string, { free?: string; locked?: string }>>
  funding?: Readonly<Record<string, { free?: string; locked?: string; freeze?: string; withdrawing?: string }>>
  flexible?: readonly { asset: string; totalAmount: string }[]
  locked?: readonly { asset: string; amount: string }[]
  /** Absent: never opened. */
  margin?: Readonly<Record<string, Borrowable>>
  isolated?: readonly { base: Borrowable & { asset: string }; quote: Borrowable & { asset: string } }[]
}

export type BinanceAccount = {
  apiKey: string
  secret: string
  balances?: BinanceBalances
  /** Beyond `enableReading`. */
  rights?: Readonly<Record<string, boolean>>
  refused?: readonly string[]
}

/** `price`: the last one. `status`: when not trading. */
export type BinanceMarket = { base: string; quote: string; price: string; status?: 'HALT' | 'BREAK' }

export type BinanceEmulator = EmulatedExchange & {
  setBalances(apiKey: string, balances: BinanceBalances): void
  setMarkets(markets: readonly BinanceMarket[]): void
  /** Milliseconds ahead of this machine's clock. */
  skewMs: number
}

const defaultMarkets: readonly BinanceMarket[] = [
  { base: 'BTC', quote: 'USDT', price: '64000.12000000' },
  { base: 'ETH', quote: 'USDT', price: '3000.50000000' },
  { base: 'ETH', quote: 'BTC', price: '0.04688000' },
  { base: 'BNB', quote: 'USDT', price: '600.00000000' },
  { base: 'USDC', quote: 'USDT', price: '1.00010000' },
  { base: 'EUR', quote: 'USDT', price: '1.08000000' },
  { base: 'LDO', quote: 'USDT', price: '2.00000000' },
]

const zeros = { free: '0.00000000', locked: '0.00000000', borrowed: '0.00000000', interest: '0.00000000' }

class Refusal extends Error {
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Checks key, signature and time as Binance does. */
export async function startBinance({
  accounts,
  markets: firstMarkets = defaultMarkets,
}: {
  accounts: readonly BinanceAccount[]
  markets?: readonly BinanceMarket[]
}): Promise<BinanceEmulator> {
  let markets = firstMarkets
  const balances = new Map(accounts.map((account) => [account.apiKey, account.balances ?? {}]))

  const emulator = await startEmulator({
    tooMany: { code: -1003, msg: 'Too much request weight used; current limit is 6000 request weight per 1 MINUTE.' },
    answer(request) {
      try {
        const parameters = new URLSearchParams(request.query || request.body)
        const open = publicAnswer(request.path, parameters)
        if (open) return open
        const account = authenticate(request)
        const json = accountAnswers(balances.get(account.apiKey) ?? {}, account, parameters)[
          `${request.method} ${request.path}`
        ]
        return json === undefined ? { status: 404, json: {} } : { json: json() }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { status: error.status, json: { code: error.code, msg: error.message } }
      }
    },
  })

  const now = () => Date.now() + binance.skewMs

  function publicAnswer(path: string, parameters: URLSearchParams): EmulatorAnswer | undefined {
    if (path === '/api/v3/time') return { json: { serverTime: now() } }
    if (path === '/api/v3/exchangeInfo') {
      const wanted = parameters.get('symbolStatus')
      const shown = markets.filter(({ status = 'TRADING' }) => wanted === null || status === wanted)
      return { json: exchangeInfo(shown, now()) }
    }
    if (path !== '/api/v3/ticker/24hr') return undefined
    const asked = JSON.parse(parameters.get('symbols') ?? '[]') as string[]
    const found = asked.map((symbol) => markets.find(({ base, quote }) => base + quote === symbol))
    return { json: found.map((market) => ticker(market, now())) }
  }

  function authenticate({ path, query, body, headers }: EmulatorRequest): BinanceAccount {
    const account = accounts.find(({ apiKey }) => apiKey === headers['x-mbx-apikey'])
    if (!account || account.refused?.includes(path)) {
      throw new Refusal(401, -2015, 'Invalid API-key, IP, or permissions for action.')
    }
    const [signed = '', signature] = (query + body).split('&signature=')
    const parameters = new URLSearchParams(signed)
    const behind = now() - Number(parameters.get('timestamp'))
    if (behind <= -1_000 || behind > Number(parameters.get('recvWindow') ?? 5_000)) {
      throw new Refusal(400, -1021, 'Timestamp for this request is outside of the recvWindow.')
    }
    if (createHmac('sha256', account.secret).update(signed).digest('hex') !== signature) {
      throw new Refusal(400, -1022, 'Signature for this request is not valid.')
    }
    return account
  }

  const binance: BinanceEmulator = Object.assign(emulator, {
    skewMs: 0,
    setBalances: (apiKey: string, next: BinanceBalances) => void balances.set(apiKey, next),
    setMarkets: (next: readonly BinanceMarket[]) => {
      markets = next
    },
  })
  return binance
}

function accountAnswers(
  { spot = {}, funding = {}, flexible = [], locked = [], margin, isolated = [] }: BinanceBalances,
  { rights }: BinanceAccount,
  parameters: URLSearchParams,
): Readonly<Record<string, () => unknown>> {
  return {
    'GET /api/v3/account': () => ({
      makerCommission: 10,
      takerCommission: 10,
      canTrade: true,
      canWithdraw: true,
      canDeposit: true,
      updateTime: 1_700_000_000_000,
      accountType: 'SPOT',
      balances: Object.entries(spot).map(([asset, row]) => ({ asset, free: '0', locked: '0', ...row })),
      permissions: ['SPOT'],
      uid: 354_937_868,
    }),
    'POST /sapi/v1/asset/get-funding-asset': () =>
      Object.entries(funding).map(([asset, row]) => ({
        asset,
        free: '0',
        locked: '0',
        freeze: '0',
        withdrawing: '0',
        btcValuation: '0',
        ...row,
      })),
    'GET /sapi/v1/simple-earn/flexible/position': () =>
      page(
        flexible.map((row, index) => ({
          ...row,
          tierAnnualPercentageRate: { '0-5BTC': 0.05, '5-10BTC': 0.03 },
          latestAnnualPercentageRate: '0.02599895',
          canRedeem: true,
          collateralAmount: '0.00000000',
          productId: `${row.asset}${index}`,
          cumulativeTotalRewards: '0.45459183',
          autoSubscribe: true,
        })),
        parameters,
      ),
    'GET /sapi/v1/simple-earn/locked/position': () =>
      page(
        locked.map((row, index) => ({
          positionId: 123_123 + index,
          projectId: `${row.asset}*90`,
          purchaseTime: '1646182276000',
          duration: '60',
          accrualDays: '4',
          rewardAsset: row.asset,
          APY: '0.23',
          isRenewable: true,
          isAutoRenew: true,
          redeemDate: '1732182276000',
          ...row,
        })),
        parameters,
      ),
    'GET /sapi/v1/margin/account': () => {
      if (!margin) throw new Refusal(400, -3003, 'Margin account does not exist.')
      return {
        created: true,
        borrowEnabled: true,
        marginLevel: '11.64405625',
        tradeEnabled: true,
        accountType: 'MARGIN_1',
        userAssets: Object.entries(margin).map(([asset, row]) => ({ asset, ...zeros, netAsset: '0', ...row })),
      }
    },
    'GET /sapi/v1/margin/isolated/account': () => ({
      assets: isolated.map(({ base, quote }) => ({
        baseAsset: { ...zeros, borrowEnabled: true, netAsset: '0', totalAsset: '0', ...base },
        quoteAsset: { ...zeros, borrowEnabled: true, netAsset: '0', totalAsset: '0', ...quote },
        symbol: base.asset + quote.asset,
        isolatedCreated: true,
        enabled: true,
        marginLevel: '999',
      })),
    }),
    'GET /sapi/v1/account/apiRestrictions': () => ({
      ipRestrict: false,
      createTime: 1_623_840_271_000,
      enableReading: true,
      enableWithdrawals: false,
      enableInternalTransfer: false,
      enableMargin: false,
      enableFutures: false,
      permitsUniversalTransfer: false,
      enableVanillaOptions: false,
      enableFixApiTrade: false,
      enableFixReadOnly: true,
      enableSpotAndMarginTrading: false,
      enablePortfolioMarginTrading: false,
      ...rights,
    }),
  }
}

function page<T>(rows: readonly T[], parameters: URLSearchParams): { rows: T[]; total: number } {
  const size = Number(parameters.get('size') ?? 10)
  const from = (Number(parameters.get('current') ?? 1) - 1) * size
  return { rows: rows.slice(from, from + size), total: rows.length }
}

function exchangeInfo(markets: readonly BinanceMarket[], serverTime: number): unknown {
  return {
    timezone: 'UTC',
    serverTime,
    rateLimits: [{ rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 6_000 }],
    exchangeFilters: [],
    symbols: markets.map(({ base, quote, status = 'TRADING' }) => ({
      symbol: base + quote,
      status,
      baseAsset: base,
      baseAssetPrecision: 8,
      quoteAsset: quote,
      quotePrecision: 8,
      quoteAssetPrecision: 8,
      orderTypes: ['LIMIT', 'MARKET'],
      isSpotTradingAllowed: true,
      isMarginTradingAllowed: true,
      filters: [
        { filterType: 'PRICE_FILTER', minPrice: '0.01000000', maxPrice: '1000000.00000000', tickSize: '0.01000000' },
        { filterType: 'LOT_SIZE', minQty: '0.00001000', maxQty: '9000.00000000', stepSize: '0.00001000' },
      ],
      permissions: [],
    })),
  }
}

function ticker(market: BinanceMarket | undefined, closeTime: number): unknown {
  if (!market) throw new Refusal(400, -1121, 'Invalid symbol.')
  const { base, quote, price } = market
  return {
    symbol: base + quote,
    priceChange: '-94.99999800',
    priceChangePercent: '-95.960',
    weightedAvgPrice: price,
    prevClosePrice: price,
    lastPrice: price,
    lastQty: '200.00000000',
    bidPrice: price,
    bidQty: '100.00000000',
    askPrice: price,
    askQty: '100.00000000',
    openPrice: price,
    highPrice: price,
    lowPrice: price,
    volume: '8913.30000000',
    quoteVolume: '15.30000000',
    openTime: closeTime - 86_400_000,
    closeTime,
    firstId: 28_385,
    lastId: 28_460,
    count: 76,
  }
}
