import type {
  AsOf,
  IncompleteItem,
  NestedPosition,
  Portfolio,
  PortfolioAsset,
  PortfolioProtocol,
  PositionType,
} from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { type Pnl, sumPnl } from '../../domain/accounting/pnl.ts'
import { type Decimal, formatDecimal, fromRaw, roundPrice, sum, ZERO } from '../../domain/decimal.ts'
import { mergeAssets } from '../../domain/merge-reads.ts'
import type { PositionKind } from '../../domain/position.ts'
import { byValue, totalOf, type ValuedAsset, type ValuedPosition, type ValuedRead } from '../../domain/valuation.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import { presentPnlGaps } from './pnl-gaps.ts'
import { type WalletFigures, type WalletPnl, walletPnl } from './wallet-figures.ts'

/** A chain as it is shown; what is on no chain is shown as one that no explorer knows. */
export type ShownChain = Pick<Chain, 'key' | 'name' | 'chainId'> & { explorer: Chain['explorer'] | null }

/** Names, links and pictures that a read itself does not hold. */
export type Presentation = {
  chain(key: string): ShownChain
  protocol(key: string): { name: string; siteUrl?: string }
  /** Absent: no image fields. */
  images?: Pick<IconUrls, 'chain' | 'token' | 'symbol' | 'protocol'>
  explorerUrls: boolean
}

/** What is known of an address, valued, one read a chain, with the gaps of what could not be read at all. */
export type PortfolioState = {
  address: string
  reads: readonly ValuedRead[]
  incomplete: readonly IncompleteItem[]
  /** USD in money of states; wallets on chain have none. */
  cashBalance?: Decimal
  /** Several owners in one: a protocol's flat list names a token, or symbol, once a side. */
  merged?: true
  /** What the wallet's history says; absent while it is not whole. */
  figures?: WalletFigures
}

const WALLET_KEY = 'wallet'
const UNKNOWN = 'N/A'
const NO_UNLOCK = '0'
const HEALTH_FACTOR_DECIMALS = 18

const positionTypes: Record<PositionKind, PositionType> = {
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

/** The fields every view of a wallet begins with. Fees, income and PnL need the wallet's history. */
export function presentHeader(state: PortfolioState, networth: Decimal, pnl: WalletPnl | undefined) {
  const { figures } = state
  return {
    address: state.address,
    networth: formatDecimal(networth),
    cashBalance: formatDecimal(state.cashBalance ?? ZERO),
    dailyIncome: formatDecimal(figures?.income ?? ZERO),
    dailyExpense: formatDecimal(figures?.expense ?? ZERO),
    fees: String(figures?.feesRaw ?? 0n),
    feesFiat: formatDecimal(figures?.feesUsd ?? ZERO),
    lastUpdated: String(Math.min(...state.reads.map(({ read }) => read.readAt))),
    openPnl: orUnknown(pnl?.total.openPnl),
    closedPnl: orUnknown(figures?.closedPnl),
    totalCostBasis: orUnknown(pnl?.total.totalCostBasis),
    pnlIncomplete: presentPnlGaps(pnl?.leftOut() ?? [{ reason: 'no-history' }]),
  }
}

const orUnknown = (value: Decimal | null | undefined) => (value ? formatDecimal(roundPrice(value)) : UNKNOWN)

/** The block each chain's figures are from. */
export function presentAsOf(reads: readonly ValuedRead[]): AsOf {
  return Object.fromEntries(
    reads.flatMap(({ read: { chain, block, blockTime } }) => {
      if (block === undefined || blockTime === undefined) return []
      const timestamp = new Date(blockTime * 1000).toISOString().replace('.000Z', 'Z')
      return [[chain, { block: String(block), timestamp }]]
    }),
  )
}

/** Gaps of the reads themselves and of chains without any. */
export function presentIncomplete(state: PortfolioState): IncompleteItem[] {
  return [
    ...state.incomplete,
    ...state.reads.flatMap(({ read }) => read.gaps.map((gap) => ({ chain: read.chain, ...gap }))),
  ]
}

export function presentPortfolio(state: PortfolioState, presentation: Presentation): Portfolio {
  const reads = state.reads
  const pnl = pnlOf(state)
  const shown = { ...presentation, ...(pnl && { pnl }) }
  return {
    ...presentHeader(state, sum(reads.map((read) => read.value)), pnl),
    assetByProtocols: Object.fromEntries(protocolKeys(reads).map((key) => [key, presentProtocol(key, state, shown)])),
    chains: Object.fromEntries(
      reads.filter(hasAssets).map((read) => [read.read.chain, presentChain(read, presentation)]),
    ),
    asOf: presentAsOf(reads),
    incomplete: presentIncomplete(state),
  }
}

export function pnlOf({ figures, reads }: PortfolioState): WalletPnl | undefined {
  return figures && walletPnl(figures, reads)
}

/** Names and links, with what a wallet's history says. */
type Shown = Presentation & { pnl?: WalletPnl }

const hasAssets = (read: ValuedRead) => read.held.length > 0 || read.positions.length > 0

function protocolKeys(reads: readonly ValuedRead[]): string[] {
  const keys = new Set(reads.flatMap((read) => read.positions.map(({ position }) => position.protocol)))
  return [WALLET_KEY, ...[...keys].sort()]
}

function presentChain(read: ValuedRead, presentation: Presentation) {
  const { key, name, explorer } = presentation.chain(read.read.chain)
  const protocols = new Set(read.positions.map(({ position }) => position.protocol))
  return {
    key,
    name,
    value: formatDecimal(read.value),
    protocols: [...(read.held.length > 0 ? [WALLET_KEY] : []), ...[...protocols].sort()],
    ...(presentation.explorerUrls &&
      explorer &&
      read.read.wallet && { explorerAddressUrl: explorer.address + read.read.wallet }),
    ...presentation.images?.chain(key),
  }
}

function presentProtocol(key: string, state: PortfolioState, presentation: Shown): PortfolioProtocol {
  const listed = state.merged ? mergedSides : (positions: readonly Sides[]) => positions
  const parts = state.reads
    .map((read) => protocolPart(key, read, presentation, listed))
    .filter((part) => part.assets.length > 0)
  return {
    key,
    name: key === WALLET_KEY ? 'Wallet' : presentation.protocol(key).name,
    value: formatDecimal(sum(parts.map((part) => part.value))),
    assets: parts.flatMap((part) => part.assets),
    chains: Object.fromEntries(parts.map((part) => [part.chain.key, part.chain])),
    ...presentation.images?.protocol(key),
  }
}

type Sides = Pick<ValuedPosition, 'supplied' | 'rewards' | 'borrowed'>

/** What several positions hold, each token once a side. */
function mergedSides(positions: readonly Sides[]): Sides[] {
  return [
    {
      supplied: mergeAssets(positions.flatMap(({ supplied, rewards }) => [...supplied, ...rewards])),
      rewards: [],
      borrowed: mergeAssets(positions.flatMap(({ borrowed }) => borrowed)),
    },
  ]
}

/** What a protocol (or the wallet itself) holds on one chain. `listed`: how its positions stand in its flat list. */
function protocolPart(
  key: string,
  read: ValuedRead,
  presentation: Shown,
  listed: (positions: readonly Sides[]) => readonly Sides[],
) {
  const chain = presentation.chain(read.read.chain)
  const present = (assets: readonly ValuedAsset[], pnl?: PnlOfAsset) =>
    assets.map((asset) => presentAsset(asset, chain, presentation, pnl?.(asset)))
  if (key === WALLET_KEY) {
    const ofAsset: PnlOfAsset = (asset) => presentation.pnl?.ofAsset(chain.key, asset)
    const assets = present(byValue(read.held), ofAsset)
    const value = totalOf(read.held)
    const group = presentGroup('WALLET', value, { assets, nested: [], pnl: read.held.map(ofAsset) })
    const onChain = {
      key: chain.key,
      name: chain.name,
      value: formatDecimal(value),
      protocolPositions: { WALLET: group },
    }
    return { value, assets, chain: onChain }
  }
  const positions = read.positions.filter(({ position }) => position.protocol === key)
  const value = sum(positions.map((position) => position.value))
  const assets = listed(positions).flatMap(({ supplied, rewards, borrowed }) => [
    ...present([...supplied, ...rewards]),
    ...present(borrowed).map(asDebt),
  ])
  const groups = Map.groupBy(positions, ({ position }) => positionTypes[position.kind])
  const onChain = {
    key: chain.key,
    name: chain.name,
    value: formatDecimal(value),
    protocolPositions: Object.fromEntries(
      [...groups].map(([type, members]) => [type, positionGroup(type, members, present, presentation, chain.key)]),
    ),
  }
  return { value, assets, chain: onChain }
}

type PnlOfAsset = (asset: ValuedAsset) => Pnl | undefined
type Present = (assets: readonly ValuedAsset[], pnl?: PnlOfAsset) => PortfolioAsset[]

function positionGroup(
  type: PositionType,
  members: ValuedPosition[],
  present: Present,
  presentation: Shown,
  chain: string,
) {
  const value = sum(members.map((member) => member.value))
  const pnl = members.map((member) => presentation.pnl?.ofPosition(chain, member))
  if (type === 'DEPOSIT') {
    const assets = present(members.flatMap((member) => member.supplied))
    return presentGroup(type, value, { assets, nested: [], pnl })
  }
  const nested = members.map((member) => presentPosition(type, member, present, presentation))
  return presentGroup(type, value, { assets: [], nested, pnl })
}

/** `pnl`: of each member, undefined without a history. */
function presentGroup(
  type: PositionType,
  value: Decimal,
  { assets, nested, pnl }: { assets: PortfolioAsset[]; nested: NestedPosition[]; pnl: readonly (Pnl | undefined)[] },
) {
  const known = pnl.filter((part) => part !== undefined)
  const total = known.length > 0 ? sumPnl(known) : undefined
  return {
    name: groupNames[type],
    totalValue: formatDecimal(value),
    totalCostBasis: orUnknown(total?.totalCostBasis),
    totalOpenPnl: orUnknown(total?.openPnl),
    unlockAt: NO_UNLOCK,
    assets,
    protocolPositions: nested,
  }
}

const loanTypes: ReadonlySet<PositionType> = new Set(['LENDING', 'MARGIN'])
const poolTypes: ReadonlySet<PositionType> = new Set([
  'LIQUIDITYPOOL',
  'NFTLIQUIDITYPOOL',
  'FARMING',
  'LEVERAGEDFARMING',
])

function presentPosition(
  type: PositionType,
  { position, supplied, borrowed, rewards, value }: ValuedPosition,
  present: Present,
  presentation: Presentation,
): NestedPosition {
  const { siteUrl } = presentation.protocol(position.protocol)
  const principal = present(supplied)
  const pool = position.pool && { [type === 'YIELD' ? 'vaultAddress' : 'poolAddress']: position.pool }
  return {
    name: poolTypes.has(type) ? poolName(position.label, supplied) : position.label,
    value: formatDecimal(value),
    unlockAt: position.unlockAt === undefined ? NO_UNLOCK : String(position.unlockAt),
    ...(position.healthFactorRaw !== undefined && {
      healthRate: formatDecimal(fromRaw(position.healthFactorRaw, HEALTH_FACTOR_DECIMALS)),
    }),
    ...pool,
    ...(siteUrl !== undefined && { siteUrl }),
    assets: loanTypes.has(type) || poolTypes.has(type) ? [] : principal,
    supplyAssets: loanTypes.has(type) ? principal : [],
    borrowAssets: present(borrowed).map(asDebt),
    rewardAssets: present(rewards),
    dexAssets: poolTypes.has(type) ? principal : [],
  }
}

/** A family knows addresses, not symbols: the pair's name is made here. */
function poolName(label: string, assets: readonly ValuedAsset[]): string {
  return [assets.map((asset) => asset.token.symbol).join('/'), label].filter((part) => part !== '').join(' ')
}

const asDebt = (asset: PortfolioAsset): PortfolioAsset => ({ ...asset, side: 'borrow' })

function presentAsset(
  asset: ValuedAsset,
  chain: ShownChain,
  presentation: Presentation,
  pnl: Pnl | undefined,
): PortfolioAsset {
  const { token } = asset
  const contract = token.address
  const symbol = token.symbol.toLowerCase()
  return {
    balance: formatDecimal(asset.balance),
    symbol,
    name: token.name.toLowerCase(),
    price: formatDecimal(asset.price),
    value: formatDecimal(asset.value),
    contractAddress: contract,
    contract,
    chain: chain.key,
    chainKey: chain.key,
    chainContract: `${chain.key}:${contract || symbol}`,
    decimal: String(token.decimals),
    priceSource: asset.priceSource,
    openPnl: orUnknown(pnl?.openPnl),
    totalCostBasis: orUnknown(pnl?.totalCostBasis),
    ...(presentation.explorerUrls && chain.explorer && { explorerUrl: chain.explorer.token + contract }),
    ...(contract ? presentation.images?.token(chain.key, contract, token.symbol) : presentation.images?.symbol(symbol)),
  }
}
