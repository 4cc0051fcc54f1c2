import type { NestedPosition, PortfolioAsset, PositionType } from '@coffer/contract'
import { sumPnl } from '../../domain/accounting/pnl.ts'
import { type Decimal, formatDecimal, fromRaw, roundPrice, sum } from '../../domain/decimal.ts'
import type { Perpetual, PositionKind } from '../../domain/position.ts'
import type { ValuedAsset, ValuedPosition } from '../../domain/valuation.ts'

import { type Judged, unknownPnl } from './wallet-figures.ts'

const UNKNOWN = 'N/A'
const NOTHING: Judged = unknownPnl('nothing-held')
const NO_UNLOCK = '0'
const FIGURE_DECIMALS = 18

export const positionTypes: Record<PositionKind, PositionType> = {
  lending: 'LENDING',
  deposit: 'DEPOSIT',
  yield: 'YIELD',
  staked: 'STAKED',
  locked: 'LOCKED',
  liquidity: 'LIQUIDITYPOOL',
  'nft-liquidity': 'NFTLIQUIDITYPOOL',
  farming: 'FARMING',
  vesting: 'VESTING',
  rewards: 'REWARDS',
  margin: 'MARGIN',
  perpetuals: 'PERPETUALS',
}

const groupNames: Record<PositionType, string> = {
  WALLET: 'Wallet',
  LENDING: 'Lending',
  DEPOSIT: 'Deposit',
  YIELD: 'Yield',
  STAKED: 'Staked',
  LOCKED: 'Locked',
  LIQUIDITYPOOL: 'Liquidity Pool',
  NFTLIQUIDITYPOOL: 'NFT Liquidity Pool',
  FARMING: 'Farming',
  LEVERAGEDFARMING: 'Leveraged Farming',
  VESTING: 'Vesting',
  REWARDS: 'Rewards',
  MARGIN: 'Margin',
  PERPETUALS: 'Perpetuals',
  AIRDROP: 'Airdrop',
  OTHER: 'Other',
}

export const nameOfPositionType = (kind: PositionKind): string => groupNames[positionTypes[kind]]

export const orUnknown = (value: Decimal | null | undefined) => (value ? formatDecimal(roundPrice(value)) : UNKNOWN)

export type PnlOfPosition = (position: ValuedPosition) => Judged
type Means = {
  present(assets: readonly ValuedAsset[]): PortfolioAsset[]
  siteUrlOf(protocol: string): string | undefined
  ofPosition: PnlOfPosition
}

export function positionGroup(type: PositionType, members: ValuedPosition[], means: Means) {
  const value = sum(members.map((member) => member.value))
  const pnl = members.map(means.ofPosition)
  const [flat, nested] = type === 'DEPOSIT' ? [members, []] : [[], members]
  return presentGroup(type, value, {
    assets: means.present(flat.flatMap((member) => member.supplied)),
    nested: nested.map((member) => presentPosition(type, member, means)),
    pnl,
  })
}

export function presentGroup(
  type: PositionType,
  value: Decimal,
  { assets, nested, pnl }: { assets: PortfolioAsset[]; nested: NestedPosition[]; pnl: readonly Judged[] },
) {
  return {
    name: groupNames[type],
    totalValue: formatDecimal(value),
    ...presentPnl(pnl),
    unlockAt: NO_UNLOCK,
    assets,
    protocolPositions: nested,
  }
}

/** Which sales belong to a position is not stored. */
export function presentPnl(parts: readonly Judged[]) {
  const [first] = parts
  const { totalCostBasis, openPnl } = first ? sumPnl(parts) : NOTHING
  // A sum is unknown only if every part is.
  const lacks = totalCostBasis && openPnl ? undefined : (first ?? NOTHING).lacks
  return {
    totalCostBasis: orUnknown(totalCostBasis),
    totalOpenPnl: orUnknown(openPnl),
    totalClosedPnl: UNKNOWN,
    ...(lacks && { pnlReason: lacks }),
  }
}

const poolTypes: ReadonlySet<PositionType> = new Set([
  'LIQUIDITYPOOL',
  'NFTLIQUIDITYPOOL',
  'FARMING',
  'LEVERAGEDFARMING',
])

function presentPosition(type: PositionType, held: ValuedPosition, means: Means): NestedPosition {
  const { position, supplied, borrowed, rewards, value } = held
  const siteUrl = means.siteUrlOf(position.protocol)
  const perpetual = position.perpetual && presentPerpetual(position.perpetual)
  const pool = position.pool && { [type === 'YIELD' ? 'vaultAddress' : 'poolAddress']: position.pool }
  return {
    name: poolTypes.has(type) ? poolName(position.label, supplied) : position.label,
    value: formatDecimal(value),
    totalValue: formatDecimal(value),
    ...presentPnl([means.ofPosition(held)]),
    unlockAt: position.unlockAt === undefined ? NO_UNLOCK : String(position.unlockAt),
    ...(position.healthFactorRaw !== undefined && { healthRate: withEighteen(position.healthFactorRaw) }),
    ...pool,
    ...(siteUrl !== undefined && { siteUrl }),
    assets: [],
    supplyAssets: [],
    dexAssets: [],
    marginAssets: [],
    baseAssets: [],
    quoteAssets: [],
    [listOf(type)]: perpetual ? means.present(supplied).map(withMargin(perpetual, value)) : means.present(supplied),
    borrowAssets: means.present(borrowed).map(asDebt),
    rewardAssets: means.present(rewards),
    ...perpetual,
  }
}

const loanTypes: ReadonlySet<PositionType> = new Set(['LENDING', 'MARGIN'])

function listOf(type: PositionType): 'assets' | 'supplyAssets' | 'dexAssets' {
  if (loanTypes.has(type)) return 'supplyAssets'
  return type === 'PERPETUALS' ? 'dexAssets' : 'assets'
}

const withEighteen = (raw: bigint) => formatDecimal(fromRaw(raw, FIGURE_DECIMALS))

function presentPerpetual(perpetual: Perpetual) {
  const figure = (raw: bigint | undefined) => (raw === undefined ? UNKNOWN : withEighteen(raw))
  return {
    side: perpetual.side,
    size: figure(perpetual.sizeRaw),
    entryPrice: figure(perpetual.entryPriceRaw),
    leverage: figure(perpetual.leverageRaw),
    marginUsed: figure(perpetual.marginUsedRaw),
    liquidationPrice: figure(perpetual.liquidationPriceRaw),
  }
}

/** Clients read these figures from the assets. Without its own margin a position counts by its value. */
function withMargin({ side, marginUsed, entryPrice, leverage, liquidationPrice }: ShownPerpetual, value: Decimal) {
  const margin = marginUsed === UNKNOWN ? formatDecimal(value) : marginUsed
  return (asset: PortfolioAsset): PortfolioAsset => ({
    ...asset,
    type: side,
    marginUsed: margin,
    entryPrice,
    leverage,
    liquidationPrice,
  })
}

type ShownPerpetual = ReturnType<typeof presentPerpetual>

/** Protocol readers know addresses, not symbols. */
function poolName(label: string, assets: readonly ValuedAsset[]): string {
  return [assets.map((asset) => asset.token.symbol).join('/'), label].filter((part) => part !== '').join(' ')
}

export const asDebt = (asset: PortfolioAsset): PortfolioAsset => ({ ...asset, side: 'borrow' })
