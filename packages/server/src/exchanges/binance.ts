import type { binance as BinanceClient } from 'ccxt'
import { z } from 'zod'
import { type Decimal, sum, ZERO } from '../domain/decimal.ts'
import { type AccountReader, amount, codeOf, type Holding, isListed, type SignedIn } from './account-reader.ts'
import type { ExchangeAccountKind, KeyPermissions } from './exchange.ts'

// Binance's Spot, Wallet, Margin Trading and Simple Earn APIs.

const asset = z.string().min(1)
const borrowable = { asset, free: amount, locked: amount, borrowed: amount, interest: amount }

const spotAccount = z.object({ balances: z.array(z.object({ asset, free: amount, locked: amount })) })
const fundingWallet = z.array(z.object({ asset, free: amount, locked: amount, freeze: amount, withdrawing: amount }))
const crossMargin = z.object({ userAssets: z.array(z.object(borrowable)) })
const isolatedMargin = z.object({
  assets: z.array(z.object({ baseAsset: z.object(borrowable), quoteAsset: z.object(borrowable) })),
})
const flexiblePosition = z.object({ asset, totalAmount: amount })
const lockedPosition = z.object({ asset, amount })

const mayTrade = [
  'enableSpotAndMarginTrading',
  'enableMargin',
  'enableFutures',
  'enableVanillaOptions',
  'enablePortfolioMarginTrading',
  'enableFixApiTrade',
] as const
/** Transfers count: another key may withdraw from the owner's other accounts. */
const mayWithdraw = ['enableWithdrawals', 'enableInternalTransfer', 'permitsUniversalTransfer'] as const
/** Binance adds rights, and omits those an account cannot have. */
const restrictions = z.looseObject({
  enableWithdrawals: z.boolean(),
  enableSpotAndMarginTrading: z.boolean(),
})

const PAGE_SIZE = 100
const MAX_PAGES = 50

/** -3003: no cross margin account; -11001: no isolated one. */
const NO_MARGIN_ACCOUNT = /"code":\s*-(3003|11001)\b/

export const binance: AccountReader = {
  settings: {
    // Reads are far below the limits; ccxt would spread them over seconds.
    enableRateLimit: false,
    options: { fetchCurrencies: false, fetchMargins: false, fetchMarkets: { types: ['spot'] } },
  },
  hasGrowingNonces: false,
  // Permission sets are two thirds of the answer; half of the markets are closed.
  marketParams: { showPermissionSets: 'false', symbolStatus: 'TRADING' },

  async permissions({ client, call }): Promise<KeyPermissions> {
    const rights = restrictions.parse(await call(() => (client as BinanceClient).sapiGetAccountApiRestrictions()))
    const has = (names: readonly string[]) => names.some((name) => rights[name] === true)
    return { trade: has(mayTrade), withdraw: has(mayWithdraw) }
  },

  async read(signedIn) {
    const account = signedIn as SignedIn<BinanceClient>
    const { client } = account
    const spot = spotAccount.parse(await account.call(() => client.privateGetAccount()))
    const [earn, ...others] = await Promise.all([
      account.attempt('earn', () => earnOf(account)),
      account.attempt('funding', () => fundingOf(account)),
      account.attempt('margin', () => marginOf(account)),
    ])
    const invested = new Set(Array.isArray(earn) ? earn.map(({ code }) => code) : [])
    const coins = spot.balances
      .map(({ asset: id, free, locked }) => held(client, 'spot', id, free.plus(locked)))
      .filter(({ code }) => !isReceipt(code, client, invested))
    return [coins, earn, ...others]
  },
}

function held(
  client: BinanceClient,
  account: ExchangeAccountKind,
  id: string,
  owned: Decimal,
  borrowed = ZERO,
): Holding {
  return { account, code: codeOf(client, id), owned, borrowed }
}

/** Detects Simple Earn copies, `LD` and the coin (`LDUSDT`); not coins with a market (`LDO`). */
function isReceipt(code: string, client: BinanceClient, invested: ReadonlySet<string>): boolean {
  if (!code.startsWith('LD') || isListed(client, code)) return false
  const coin = code.slice(2)
  return isListed(client, coin) || invested.has(coin)
}

async function earnOf({ client, call }: SignedIn<BinanceClient>): Promise<Holding[]> {
  const [flexible, locked] = await Promise.all([
    allRows(flexiblePosition, (page) => call(() => client.sapiGetSimpleEarnFlexiblePosition(page))),
    allRows(lockedPosition, (page) => call(() => client.sapiGetSimpleEarnLockedPosition(page))),
  ])
  return [
    ...flexible.map((row) => held(client, 'earn', row.asset, row.totalAmount)),
    ...locked.map((row) => held(client, 'earn', row.asset, row.amount)),
  ]
}

async function fundingOf({ client, call }: SignedIn<BinanceClient>): Promise<Holding[]> {
  const wallet = fundingWallet.parse(await call(() => client.sapiPostAssetGetFundingAsset()))
  return wallet.map(({ asset: id, free, locked, freeze, withdrawing }) =>
    held(client, 'funding', id, sum([free, locked, freeze, withdrawing])),
  )
}

async function marginOf({ client, call }: SignedIn<BinanceClient>): Promise<Holding[]> {
  const [cross, isolated] = await Promise.all([
    unlessNone(() => call(() => client.sapiGetMarginAccount())),
    unlessNone(() => call(() => client.sapiGetMarginIsolatedAccount())),
  ])
  const assets = [
    ...(cross === undefined ? [] : crossMargin.parse(cross).userAssets),
    ...(isolated === undefined ? [] : isolatedMargin.parse(isolated).assets).flatMap((pair) => [
      pair.baseAsset,
      pair.quoteAsset,
    ]),
  ]
  return assets.map(({ asset: id, free, locked, borrowed, interest }) =>
    held(client, 'margin', id, free.plus(locked), borrowed.plus(interest)),
  )
}

async function unlessNone(request: () => Promise<unknown>): Promise<unknown> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof Error && NO_MARGIN_ACCOUNT.test(error.message)) return undefined
    throw error
  }
}

async function allRows<T>(
  row: z.ZodType<T>,
  request: (page: { current: number; size: number }) => Promise<unknown>,
): Promise<T[]> {
  const page = z.object({ rows: z.array(row), total: z.number() })
  const rows: T[] = []
  for (let current = 1; current <= MAX_PAGES; current++) {
    const { rows: more, total } = page.parse(await request({ current, size: PAGE_SIZE }))
    rows.push(...more)
    if (rows.length >= total) return rows
    if (more.length === 0) break
  }
  throw new Error('the list of positions does not end')
}
