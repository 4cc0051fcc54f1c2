import type { NestedPosition, Portfolio, PortfolioAsset, PositionType } from '@coffer/contract'
import type { Random } from '../random-of.ts'

const CHAINS = ['ethereum', 'base', 'arbitrum']
const POSITIONS: readonly PositionType[] = ['LENDING', 'DEPOSIT', 'STAKED', 'PERPETUALS']
const PLACES = 18
const UNIT = 10n ** BigInt(PLACES)
const FIRST_INEXACT = 2n ** 53n + 1n

/** Allowed by the contract, unlike any wallet: dust, giants, debts, unknown figures. */
export function randomPortfolio(random: Random, address: string): Portfolio {
  const chains = CHAINS.map((key, at) => ({ key, name: `Chain ${at}`, chainId: String(at + 1) }))
  const protocols = Array.from({ length: 1 + random.index(4) }, (_, at) => `protocol-${at}`)
  return {
    address,
    networth: signed(random),
    ...{ cashBalance: '0', dailyIncome: '0', dailyExpense: '0', fees: '0', feesFiat: '0', manualBalanceNetworth: '0' },
    lastUpdated: '1780000000000',
    ...{ openPnl: orUnknown(random), closedPnl: orUnknown(random), totalCostBasis: orUnknown(random) },
    ...{ pnlIncomplete: [], conversionRates: {}, priceAdapters: [] },
    assetByProtocols: {
      wallet: protocolOf(random, 'wallet', () => ({ WALLET: groupOf(random, assetsOf(random, 12), []) })),
      ...Object.fromEntries(
        protocols.map((key) => [key, protocolOf(random, key, () => ({ [random.pick(POSITIONS)]: positions(random) }))]),
      ),
    },
    chains: Object.fromEntries(
      chains.map((chain) => [
        chain.key,
        { ...chain, value: signed(random), valuePercentile: '0.5', ...totals(random), protocols: [] },
      ]),
    ),
    asOf: Object.fromEntries(CHAINS.map((key) => [key, { block: '123', timestamp: '2026-01-01T00:00:00Z' }])),
    incomplete: [],
  }
}

type Protocol = Portfolio['assetByProtocols'][string]
type Groups = Protocol['chains'][string]['protocolPositions']
type Group = NonNullable<Groups['WALLET']>

const totals = (random: Random) => ({
  totalCostBasis: orUnknown(random),
  totalOpenPnl: orUnknown(random),
  totalClosedPnl: 'N/A' as const,
})

function protocolOf(random: Random, key: string, groups: () => Groups): Protocol {
  const named = { key, name: `Protocol ${key}` }
  const onChain = () => ({ ...named, value: signed(random), ...totals(random), protocolPositions: groups() })
  const chains = CHAINS.slice(0, 1 + random.index(CHAINS.length))
  return {
    ...{ ...named, value: signed(random), ...totals(random), assets: [] },
    chains: Object.fromEntries(chains.map((chain) => [chain, { ...onChain(), key: chain, name: chain }])),
  }
}

const positions = (random: Random): Group =>
  groupOf(
    random,
    assetsOf(random, 2),
    Array.from({ length: 1 + random.index(3) }, () => positionOf(random)),
  )

const groupOf = (random: Random, assets: PortfolioAsset[], protocolPositions: NestedPosition[]): Group => ({
  ...{ name: 'Group', totalValue: signed(random), ...totals(random), unlockAt: '0', assets, protocolPositions },
})

function positionOf(random: Random): NestedPosition {
  const list = () => assetsOf(random, 2)
  const value = signed(random)
  return {
    ...{ name: 'Position', value, totalValue: value, ...totals(random), unlockAt: '0' },
    ...{ assets: list(), supplyAssets: list(), borrowAssets: list().map(asDebt), rewardAssets: list() },
    ...{ dexAssets: list(), marginAssets: list(), baseAssets: list(), quoteAssets: list() },
    ...(random.index(2) === 0 && { healthRate: figure(random) }),
    ...(random.index(2) === 0 && {
      ...{ side: random.pick(['long', 'short'] as const), size: orUnknown(random), entryPrice: orUnknown(random) },
      ...{ leverage: orUnknown(random), marginUsed: orUnknown(random), liquidationPrice: orUnknown(random) },
    }),
  }
}

const asDebt = (asset: PortfolioAsset): PortfolioAsset => ({ ...asset, side: 'borrow' })

const assetsOf = (random: Random, most: number): PortfolioAsset[] =>
  Array.from({ length: random.index(most + 1) }, () => assetOf(random))

function assetOf(random: Random): PortfolioAsset {
  const contract = random.address()
  const chain = random.pick(CHAINS)
  const isPriced = random.index(4) > 0
  return {
    ...{ symbol: 'abc', name: 'abc', displaySymbol: 'ABC', displayName: 'Abc' },
    ...{ contract, contractAddress: contract, chain, chainKey: chain, decimal: '18' },
    ...{ chainContract: `${chain}:${contract}`, balance: signed(random), priceSource: isPriced ? 'chainlink' : null },
    ...{ price: isPriced ? figure(random) : '0', value: isPriced ? signed(random) : '0' },
    ...{ openPnl: orUnknown(random), totalCostBasis: orUnknown(random) },
  }
}

const orUnknown = (random: Random): string => (random.index(4) === 0 ? 'N/A' : signed(random))

function signed(random: Random): string {
  const value = figure(random)
  return value !== '0' && random.index(3) === 0 ? `-${value}` : value
}

/** Up to 40 digits with up to 18 places. */
function figure(random: Random): string {
  switch (random.index(6)) {
    case 0:
      return written(random.amount(1n, 9n))
    case 1:
      return written(random.amount(10n ** 30n, 10n ** 31n) * UNIT)
    case 2:
      return written((FIRST_INEXACT + 2n * random.amount(0n, 1_000n)) * UNIT)
    case 3:
      return written(random.amount(10n ** 39n, 10n ** 40n - 1n))
    case 4:
      return written(random.amount(0n, 10n ** 6n) * (UNIT / 100n))
    default:
      return written(random.amount(1n, 10n ** 24n))
  }
}

/** As the API spells decimals. */
function written(scaled: bigint): string {
  const fraction = String(scaled % UNIT)
    .padStart(PLACES, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(scaled / UNIT) : `${scaled / UNIT}.${fraction}`
}
