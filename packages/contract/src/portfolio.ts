import { z } from 'zod'
import { decimalOrUnknown, decimalString, integerString } from './decimal-string.ts'

const unixSeconds = z.string().regex(/^(0|[1-9]\d*)$/)

/**
 * `searching`: the search for unlisted assets continues in the background. `not-linked`: a virtual user of an exchange
 * without a linked account. `unpriced-debt`: totals are too high. `no-state`: no node has the state of the past block.
 */
export const incompleteReason = z.enum([
  'unreadable',
  'stale',
  'not-allowed',
  'time-limit',
  'searching',
  'not-linked',
  'unpriced-debt',
  'no-state',
])
export type IncompleteReason = z.infer<typeof incompleteReason>

export const incompleteItem = z
  .object({
    chain: z.string(),
    protocol: z.string().optional(),
    reason: incompleteReason,
  })
  .meta({ id: 'IncompleteItem' })
export type IncompleteItem = z.infer<typeof incompleteItem>

/**
 * `no-history`: the chain's transactions are not all synced and priced. Without a chain: those of no chain are, and all
 * three totals are N/A.
 * `computing`: a long history is being computed; nothing is known yet, and a later request has the figures.
 * `pruned`: nodes have dropped what was before `block`; sales before it are in no total.
 * `replaced-chain`: figures include stored blocks, from `block` on, that the chain's only endpoint lacks.
 * `native-unsearched`: from `block` on, nodes do not show all movements of the native coin.
 * `native-unexplained`: as `gap`, for the native coin, from `block` on.
 * `gap`: the chain's balance differs from what transactions explain, by `amount` up to `block`.
 * `balance-differs`: the balance differs from that of the transactions synced so far.
 * `unknown-cost`: something of unknown cost is in the pool.
 * `unpriced`: nothing prices the asset.
 * `unknown-disposal`: a sale of unknown cost or price; `closedPnl` leaves it out.
 */
export const pnlIncompleteReason = z.enum([
  'no-history',
  'computing',
  'pruned',
  'replaced-chain',
  'native-unsearched',
  'native-unexplained',
  'gap',
  'balance-differs',
  'unknown-cost',
  'unpriced',
  'unknown-disposal',
])

/**
 * `not-told`: not reported for this alone; a position reports it for what lies in it. `nothing-held`: nothing could
 * have a cost.
 */
export const pnlReason = z.enum([...pnlIncompleteReason.options, 'not-told', 'nothing-held'])
export type PnlReason = z.infer<typeof pnlReason>

export const pnlIncompleteItem = z
  .object({
    reason: pnlIncompleteReason,
    chain: z.string().optional(),
    contract: z.string().optional(),
    block: integerString.optional(),
    amount: decimalString.optional(),
  })
  .meta({ id: 'PnlIncompleteItem' })
export type PnlIncompleteItem = z.infer<typeof pnlIncompleteItem>

export const asOf = z
  .record(
    z.string(),
    z
      .object({ block: z.string().regex(/^\d+$/), timestamp: z.iso.datetime({ precision: 0 }) })
      .meta({ id: 'BlockTime' }),
  )
  .meta({ id: 'AsOf' })
export type AsOf = z.infer<typeof asOf>

/** As the token spells them; `symbol` and `name` have one case. */
export const displayNames = { displaySymbol: z.string(), displayName: z.string() }

const images = { imgSmall: z.string().optional(), imgLarge: z.string().optional() }

/** USD; `leverage` is a ratio. `N/A`: the protocol keeps none for a single position. */
const perpetualFigures = {
  entryPrice: decimalOrUnknown.optional(),
  leverage: decimalOrUnknown.optional(),
  marginUsed: decimalOrUnknown.optional(),
  liquidationPrice: decimalOrUnknown.optional(),
}

export const portfolioAsset = z
  .object({
    balance: decimalString,
    symbol: z.string(),
    name: z.string(),
    ...displayNames,
    price: decimalString,
    value: decimalString,
    contractAddress: z.string(),
    contract: z.string(),
    chain: z.string(),
    chainKey: z.string(),
    chainContract: z.string(),
    decimal: z.string(),
    priceSource: z.string().nullable(),
    openPnl: decimalOrUnknown,
    totalCostBasis: decimalOrUnknown,
    pnlReason: pnlReason.optional(),
    side: z.literal('borrow').optional(),
    /** Side of a perpetual; in `dexAssets` alone. */
    type: z.enum(['long', 'short']).optional(),
    ...perpetualFigures,
    explorerUrl: z.string().optional(),
    ...images,
  })
  .meta({ id: 'PortfolioAsset' })
export type PortfolioAsset = z.infer<typeof portfolioAsset>

export const positionType = z.enum([
  'WALLET',
  'LENDING',
  'DEPOSIT',
  'YIELD',
  'STAKED',
  'LOCKED',
  'LIQUIDITYPOOL',
  'NFTLIQUIDITYPOOL',
  'FARMING',
  'LEVERAGEDFARMING',
  'VESTING',
  'REWARDS',
  'MARGIN',
  'PERPETUALS',
  'AIRDROP',
  'OTHER',
])
export type PositionType = z.infer<typeof positionType>

/**
 * Cost and PnL of current holdings, as far as known; `N/A` if nothing is. `totalClosedPnl` is `N/A`: sales are reported
 * per wallet and per transaction. `pnlReason`: the first reason why another is `N/A`.
 */
const totals = {
  totalCostBasis: decimalOrUnknown,
  totalOpenPnl: decimalOrUnknown,
  totalClosedPnl: decimalOrUnknown,
  pnlReason: pnlReason.optional(),
}

/**
 * `assets` or `supplyAssets`: deposits, including liquidity. `dexAssets`: margin and positions of a perpetual exchange.
 * No asset is in two lists: `value` is their sum, less `borrowAssets`. `size` of a perpetual in units of the asset.
 */
const nestedPosition = z
  .object({
    name: z.string(),
    value: decimalString,
    /** Equals `value`; clients read either name. */
    totalValue: decimalString,
    ...totals,
    unlockAt: unixSeconds,
    healthRate: decimalString.optional(),
    poolAddress: z.string().optional(),
    vaultAddress: z.string().optional(),
    siteUrl: z.string().optional(),
    assets: z.array(portfolioAsset),
    supplyAssets: z.array(portfolioAsset),
    borrowAssets: z.array(portfolioAsset),
    rewardAssets: z.array(portfolioAsset),
    dexAssets: z.array(portfolioAsset),
    marginAssets: z.array(portfolioAsset),
    baseAssets: z.array(portfolioAsset),
    quoteAssets: z.array(portfolioAsset),
    side: z.enum(['long', 'short']).optional(),
    size: decimalOrUnknown.optional(),
    ...perpetualFigures,
  })
  .meta({ id: 'Position' })
export type NestedPosition = z.infer<typeof nestedPosition>

const positionGroup = z
  .object({
    name: z.string(),
    totalValue: decimalString,
    ...totals,
    unlockAt: unixSeconds,
    assets: z.array(portfolioAsset),
    protocolPositions: z.array(nestedPosition),
  })
  .meta({ id: 'PositionGroup' })
export type PositionGroup = z.infer<typeof positionGroup>

const protocolOnChain = z
  .object({
    key: z.string(),
    name: z.string(),
    value: decimalString,
    ...totals,
    protocolPositions: z.partialRecord(positionType, positionGroup),
    ...images,
  })
  .meta({ id: 'ProtocolOnChain' })

const portfolioProtocol = z
  .object({
    key: z.string(),
    name: z.string(),
    value: decimalString,
    ...totals,
    assets: z.array(portfolioAsset),
    chains: z.record(z.string(), protocolOnChain),
    ...images,
  })
  .meta({ id: 'PortfolioProtocol' })
export type PortfolioProtocol = z.infer<typeof portfolioProtocol>

const portfolioChain = z
  .object({
    key: z.string(),
    name: z.string(),
    chainId: z.string(),
    value: decimalString,
    valuePercentile: decimalString,
    ...totals,
    protocols: z.array(z.string()),
    explorerAddressUrl: z.string().optional(),
    ...images,
  })
  .meta({ id: 'PortfolioChain' })

export const conversionRates = z.record(z.string(), decimalOrUnknown).meta({ id: 'ConversionRates' })

const header = {
  address: z.string(),
  networth: decimalString,
  cashBalance: decimalString,
  dailyIncome: decimalString,
  dailyExpense: decimalString,
  fees: decimalString,
  feesFiat: decimalString,
  lastUpdated: z.string().regex(/^\d+$/),
  openPnl: decimalOrUnknown,
  closedPnl: decimalOrUnknown,
  totalCostBasis: decimalOrUnknown,
  /** Figures that sum only known parts. */
  pnlIncomplete: z.array(pnlIncompleteItem),
  manualBalanceNetworth: decimalString,
  conversionRates,
  priceAdapters: z.array(z.string()),
}

export const portfolio = z
  .object({
    ...header,
    assetByProtocols: z.record(z.string(), portfolioProtocol),
    chains: z.record(z.string(), portfolioChain),
    asOf,
    incomplete: z.array(incompleteItem),
  })
  .meta({ id: 'Portfolio' })
export type Portfolio = z.infer<typeof portfolio>

/** Direct holdings; receipt tokens appear as the tokens they are. */
export const walletView = portfolio
  .extend({
    assetByProtocols: z
      .object({
        wallet: portfolioProtocol
          .omit({ assets: true })
          .extend({
            chains: z.record(
              z.string(),
              protocolOnChain
                .extend({ protocolPositions: z.object({ WALLET: positionGroup }).meta({ id: 'WalletGroups' }) })
                .meta({ id: 'WalletOnChain' }),
            ),
          })
          .meta({ id: 'WalletHoldings' }),
      })
      .meta({ id: 'WalletAlone' }),
  })
  .meta({ id: 'WalletView' })
export type WalletView = z.infer<typeof walletView>

export const NAV_CURRENCIES = [
  'USD',
  'EUR',
  'GBP',
  'JPY',
  'CNY',
  'CAD',
  'CHF',
  'AUD',
  'SGD',
  'AED',
  'ETH',
  'BTC',
  'SOL',
  'BNB',
] as const
export type NavCurrency = (typeof NAV_CURRENCIES)[number]

/**
 * `conversionPrice`: USD per unit of `currency`; `nav` = Σ networth ÷ conversionPrice. Both come from exact decimals.
 */
export const nav = z
  .object({
    nav: z.number(),
    currency: z.enum(NAV_CURRENCIES),
    conversionPrice: z.number(),
    asOf,
    incomplete: z.array(incompleteItem),
  })
  .meta({ id: 'Nav' })

/**
 * `paused`: continues once there are credits and it is requested again. `done-with-gaps`: blocks or movements of a
 * chain are unknown.
 */
export const syncState = z.enum(['never', 'running', 'paused', 'failed', 'done', 'done-with-gaps'])

/** The next step; `action` in `glossary.ts` explains the values. */
export const syncAction = z.enum(['sync', 'wait', 'add-credits', 'add-endpoint', 'none'])

const chainSyncProgress = z
  .object({
    chain: z.string(),
    state: syncState,
    /** Why it paused or failed, or what is missing. */
    reason: z.string().nullable(),
    searchedBlocks: integerString,
    totalBlocks: integerString.nullable(),
    blocksPerSecond: integerString.optional(),
  })
  .meta({ id: 'ChainSyncProgress' })

const syncProgress = z
  .object({
    state: syncState,
    /** Why it paused or failed. */
    reason: z.string().nullable(),
    action: syncAction,
    advice: z.string().nullable(),
    requestedAt: z.iso.datetime({ precision: 3 }).nullable(),
    newTransactions: z.int(),
    chains: z.array(chainSyncProgress),
  })
  .meta({ id: 'SyncProgress' })
export type SyncProgress = z.infer<typeof syncProgress>

export const walletSync = z.object({ address: z.string(), ...syncProgress.shape }).meta({ id: 'WalletSync' })

export const syncStatus = z
  .object({
    address: z.string(),
    portfolioLastSync: z.iso.datetime({ precision: 3 }).nullable(),
    transactionsLastSync: z.iso.datetime({ precision: 3 }).nullable(),
    syncInProgress: z.boolean(),
    sync: syncProgress,
  })
  .meta({ id: 'SyncStatus' })
