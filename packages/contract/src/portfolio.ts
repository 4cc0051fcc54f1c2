import { z } from 'zod'
import { decimalOrUnknown, decimalString, integerString } from './decimal-string.ts'

const unixSeconds = z.string().regex(/^(0|[1-9]\d*)$/)

/**
 * Why part of an answer is missing or old. `searching`: the search for what no list names still goes on behind. `not-linked`:
 * a virtual user of an exchange that is linked to no account there. `unpriced-debt`: a debt has no price, so that totals are
 * too high.
 */
export const incompleteReason = z.enum([
  'unreadable',
  'stale',
  'not-allowed',
  'time-limit',
  'searching',
  'not-linked',
  'unpriced-debt',
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
 * Why something is left out of a wallet's cost and PnL. `no-history`: the transactions of the chain are not all synced and
 * priced; without a chain: of no chain, and all three totals are N/A. `pruned`: the chain's nodes have dropped what was before
 * `block`; sales before it are in no total. `replaced-chain`: figures include stored blocks, from `block` on, that the chain's
 * only endpoint no longer has. `gap`: the chain's balance differs from what transactions
 * explain, by `amount` up to `block`. `native-unexplained`: the same of the chain's own coin, from `block` on.
 * `native-unsearched`: from `block` on, the chain's nodes do not show all movements of its own coin. `balance-differs`: the
 * balance differs from that of the transactions synced so far. `unknown-cost`: something of unknown cost is in the pool.
 * `unpriced`: nothing prices the asset. `unknown-disposal`: something was sold of unknown cost or for an unknown price;
 * `closedPnl` leaves that sale out.
 */
export const pnlIncompleteReason = z.enum([
  'no-history',
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
 * Why a cost or a gain is `N/A`, where it stands. Beside the reasons of `pnlIncomplete`: `not-told`: it is not told for this
 * alone; of what lies in a position its position tells it. `nothing-held`: there is nothing that could have cost something.
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

/** Block and block time that the figures of each chain are from. */
export const asOf = z
  .record(
    z.string(),
    z
      .object({ block: z.string().regex(/^\d+$/), timestamp: z.iso.datetime({ precision: 0 }) })
      .meta({ id: 'BlockTime' }),
  )
  .meta({ id: 'AsOf' })
export type AsOf = z.infer<typeof asOf>

/** Symbol and name as the token spells them; `symbol` and `name` beside them have one case. */
export const displayNames = { displaySymbol: z.string(), displayName: z.string() }

const images = { imgSmall: z.string().optional(), imgLarge: z.string().optional() }

/** Figures of a perpetual in USD; `leverage` is a ratio. `N/A`: the protocol keeps none for a single position. */
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
    /** Side of a perpetual; present in `dexAssets` alone. */
    type: z.enum(['long', 'short']).optional(),
    ...perpetualFigures,
    explorerUrl: z.string().optional(),
    ...images,
  })
  .meta({ id: 'PortfolioAsset' })
export type PortfolioAsset = z.infer<typeof portfolioAsset>

/** What a position is, as the interface spells it. */
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
 * Cost and PnL of everything that something holds now; what is not known is left out, and `N/A` where nothing is.
 * `totalClosedPnl` is `N/A`: gains of sales are told for the wallet as a whole and for each transaction. `pnlReason`: why one of
 * the others is; of several reasons the first.
 */
const totals = {
  totalCostBasis: decimalOrUnknown,
  totalOpenPnl: decimalOrUnknown,
  totalClosedPnl: decimalOrUnknown,
  pnlReason: pnlReason.optional(),
}

/**
 * `assets` or `supplyAssets`: what was put in, liquidity too. `dexAssets`: margin and positions of a perpetual exchange. Nothing
 * is in two lists: `value` is their sum, less `borrowAssets`. Of a perpetual: its `side`, its `size` in units of the
 * asset, `leverage`, and `entryPrice`, `marginUsed` and `liquidationPrice` in USD, `N/A` where the protocol keeps none for a
 * single position.
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

/** `assets`: every asset of the protocol once more; empty where `includeFlatAssets` is false. */
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
    /** Its share of the net worth in percent, 0 to 100. */
    valuePercentile: decimalString,
    ...totals,
    protocols: z.array(z.string()),
    explorerAddressUrl: z.string().optional(),
    ...images,
  })
  .meta({ id: 'PortfolioChain' })

/** USD per unit by symbol in capitals: of every token in the answer, and of SOL, ETH and BTC. `N/A`: no price. */
export const conversionRates = z.record(z.string(), decimalOrUnknown).meta({ id: 'ConversionRates' })

/** What every view of a wallet begins with. */
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
  /** What `openPnl`, `closedPnl` and `totalCostBasis` leave out: they are sums of what is known. */
  pnlIncomplete: z.array(pnlIncompleteItem),
  /** USD in balances that are kept by hand, of virtual users. */
  manualBalanceNetworth: decimalString,
  conversionRates,
  /** Sources of the prices in the answer. */
  priceAdapters: z.array(z.string()),
}

/** One wallet: everything it holds, directly and in protocols. */
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

/** The portfolio of what a wallet holds directly; receipt tokens appear as the tokens they are. */
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

/** Currencies that a net asset value can be told in. */
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

/** `conversionPrice` is USD per unit of `currency`; `nav` = Σ networth ÷ conversionPrice. Both are written from exact decimals. */
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
 * State of the search for a wallet's transactions. `paused`: it continues when there are credits and it is requested again.
 * `done-with-gaps`: it ended, and blocks or movements of a chain are not known.
 */
export const syncState = z.enum(['never', 'running', 'paused', 'failed', 'done', 'done-with-gaps'])

/**
 * The next step. `sync`: `POST /v1/sync-transactions` begins, or continues where it stopped. `wait`: nothing, the search runs.
 * `add-credits`: the same call, once the account has credits. `add-endpoint`: the same call, once the operator has added an
 * endpoint that serves what is missing. `none`: nothing is to do, or helps.
 */
export const syncAction = z.enum(['sync', 'wait', 'add-credits', 'add-endpoint', 'none'])

/**
 * Of one chain. `totalBlocks`: null while no block of the chain is known; `blocksPerSecond` since the sync was asked for, while
 * it runs.
 */
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

/** How far the search for a wallet's transactions has come. */
const syncProgress = z
  .object({
    state: syncState,
    /** Why it paused or failed. */
    reason: z.string().nullable(),
    action: syncAction,
    /** What that means, for people; null where nothing is to say. */
    advice: z.string().nullable(),
    requestedAt: z.iso.datetime({ precision: 3 }).nullable(),
    newTransactions: z.int(),
    chains: z.array(chainSyncProgress),
  })
  .meta({ id: 'SyncProgress' })
export type SyncProgress = z.infer<typeof syncProgress>

/** The same of a wallet that is named. */
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
