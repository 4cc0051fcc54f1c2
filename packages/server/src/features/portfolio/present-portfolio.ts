import type { AsOf, IncompleteItem, Portfolio, PortfolioAsset, PortfolioProtocol, WalletView } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { byKey, ofEnabled } from '../../chains/chain-catalog.ts'
import { isoTime } from '../../domain/day.ts'
import { type Decimal, decimal, formatDecimal, roundPrice, sum, ZERO } from '../../domain/decimal.ts'
import { mergeAssets } from '../../domain/merge-reads.ts'
import { firstByKey, type NamedProtocol } from '../../domain/named-protocol.ts'
import { byValue, gapsOf, totalOf, type ValuedAsset, type ValuedRead } from '../../domain/valuation.ts'
import type { IconUrls, OriginIconUrls } from '../icons/icons.ts'
import { type CoinRates, conversionRates, NO_COIN_RATES, presentRates } from './conversion-rates.ts'
import {
  asDebt,
  orUnknown,
  type PnlOfPosition,
  positionGroup,
  positionTypes,
  presentGroup,
  presentPnl,
} from './present-position.ts'
import {
  COMPUTING_PNL,
  type Judged,
  presentPnlGaps,
  unknownPnl,
  type WalletFigures,
  type WalletPnl,
  walletPnl,
} from './wallet-figures.ts'

/** `explorer`: null for assets on no chain. */
export type ShownChain = Pick<Chain, 'key' | 'name' | 'chainId'> & { explorer: Chain['explorer'] | null }

export type Presentation = {
  chain(key: string): ShownChain
  protocol(key: string): { name: string; siteUrl?: string }
  images?: IconUrls
  explorerUrls: boolean
  /** Lists a protocol's assets again, in addition to its positions. */
  flatAssets: boolean
  coins: CoinRates
}

/** One read per chain. `incomplete` excludes gaps within reads. */
export type PortfolioState = {
  address: string
  reads: readonly ValuedRead[]
  incomplete: readonly IncompleteItem[]
  /** Only untrusted contracts remain to be asked. */
  unasked?: readonly string[]
  /** Fiat money, in USD. */
  cashBalance?: Decimal
  /** In USD. */
  manualBalance?: Decimal
  /** Several owners: a flat list has a token once per side. */
  merged?: true
  /** Absent while the history is incomplete. */
  figures?: WalletFigures
}

const PERCENT = decimal('100')
export const WALLET_KEY = 'wallet'
const NO_HISTORY: Judged = unknownPnl('no-history')
const NOT_REPORTED: Judged = unknownPnl('not-told')

function presentHeader(state: PortfolioState, { pnl, coins }: Shown) {
  const { figures, reads } = state
  const assets = reads.flatMap(assetsOf)
  return {
    address: state.address,
    networth: formatDecimal(networthOf(state)),
    cashBalance: formatDecimal(state.cashBalance ?? ZERO),
    manualBalanceNetworth: formatDecimal(state.manualBalance ?? ZERO),
    dailyIncome: formatDecimal(figures?.income ?? ZERO),
    dailyExpense: formatDecimal(figures?.expense ?? ZERO),
    fees: String(figures?.feesRaw ?? 0n),
    feesFiat: formatDecimal(figures?.feesUsd ?? ZERO),
    lastUpdated: String(Math.min(...reads.map(({ read }) => read.readAt))),
    openPnl: orUnknown(pnl?.total.openPnl),
    closedPnl: orUnknown(figures?.closedPnl),
    totalCostBasis: orUnknown(pnl?.total.totalCostBasis),
    pnlIncomplete: presentPnlGaps(pnl?.leftOut() ?? [{ reason: 'no-history' }]),
    conversionRates: presentRates(conversionRates(assets, coins)),
    priceAdapters: [...new Set(assets.flatMap(({ priceSource }) => priceSource ?? []))].sort(),
  }
}

const networthOf = ({ reads }: PortfolioState) => sum(reads.map(({ value }) => value))

const assetsOf = ({ held, positions }: ValuedRead) => [
  ...held,
  ...positions.flatMap(({ supplied, borrowed, rewards }) => [...supplied, ...borrowed, ...rewards]),
]

export function presentAsOf(reads: readonly ValuedRead[]): AsOf {
  return Object.fromEntries(
    reads.flatMap(({ read: { chain, block, blockTime } }) => {
      if (block === undefined || blockTime === undefined) return []
      return [[chain, { block: String(block), timestamp: isoTime(blockTime) }]]
    }),
  )
}

export function presentIncomplete(state: PortfolioState): IncompleteItem[] {
  return [
    ...state.incomplete,
    ...state.reads.flatMap((each) => gapsOf(each).map((gap) => ({ chain: each.read.chain, ...gap }))),
  ]
}

export function withCompleteness<B>(body: B, isComplete: boolean) {
  return { body, headers: { 'x-data-complete': isComplete ? 'true' : 'false' } } as const
}

export const isWhole = ({ incomplete }: { incomplete: readonly unknown[] }): boolean => incomplete.length === 0

export function presentPortfolio(state: PortfolioState, presentation: Presentation): Portfolio {
  const shown = { ...presentation, pnl: pnlOf(state) }
  const held = state.reads.flatMap((read) => read.positions.map(({ position }) => position.protocol))
  const keys = [WALLET_KEY, ...[...new Set(held)].sort()]
  return {
    ...presentHeader(state, shown),
    assetByProtocols: Object.fromEntries(keys.map((key) => [key, presentProtocol(key, state, shown)])),
    ...presentEnd(state, shown),
  }
}

/** Direct holdings; a receipt token appears as itself. */
export function presentWallet(state: PortfolioState, presentation: Presentation): WalletView {
  const direct = directOf(state)
  const shown = { ...presentation, flatAssets: false, pnl: pnlOf(direct) }
  const { assets: _, ...wallet } = presentProtocol(WALLET_KEY, direct, shown)
  const end = presentEnd(direct, shown)
  return {
    ...presentHeader(direct, shown),
    assetByProtocols: { wallet } as WalletView['assetByProtocols'],
    ...end,
    incomplete: end.incomplete.filter((gap) => gap.protocol === undefined),
  }
}

/** Without positions, so that the header sums only the wallet's own tokens. */
function directOf({ figures, ...state }: PortfolioState): PortfolioState {
  return {
    ...state,
    reads: state.reads.map((read) => ({ ...read, held: read.direct, positions: [], value: totalOf(read.direct) })),
    ...(figures && { figures: { ...figures, pools: figures.pools.filter(({ position }) => position === null) } }),
  }
}

function presentEnd(state: PortfolioState, shown: Shown) {
  const whole = networthOf(state)
  const withAssets = state.reads.filter(({ held, positions }) => held.length + positions.length > 0)
  const ofChains = withAssets.map((read) => [read.read.chain, presentChain(read, whole, shown)])
  return {
    chains: Object.fromEntries(ofChains),
    asOf: presentAsOf(state.reads),
    incomplete: presentIncomplete(state),
  }
}

function pnlOf({ figures, reads }: PortfolioState): WalletPnl | undefined {
  if (figures?.isComputing) return COMPUTING_PNL
  return figures && walletPnl(figures, reads)
}

type Shown = Presentation & { pnl: WalletPnl | undefined }

function presentChain(read: ValuedRead, whole: Decimal, presentation: Shown) {
  const { key, name, chainId, explorer } = presentation.chain(read.read.chain)
  const { pnl } = presentation
  const judged = [
    ...read.held.map((asset) => pnl?.ofAsset(key, asset) ?? NO_HISTORY),
    ...read.positions.map((position) => pnl?.ofPosition(key, position) ?? NO_HISTORY),
  ]
  const protocols = new Set(read.positions.map(({ position }) => position.protocol))
  return {
    key,
    name,
    chainId,
    value: formatDecimal(read.value),
    valuePercentile: whole.gt(ZERO) ? formatDecimal(roundPrice(read.value.times(PERCENT).div(whole))) : '0',
    ...presentPnl(judged),
    protocols: [...(read.held.length > 0 ? [WALLET_KEY] : []), ...[...protocols].sort()],
    ...(presentation.explorerUrls &&
      explorer &&
      read.read.wallet && { explorerAddressUrl: explorer.address + read.read.wallet }),
    ...presentation.images?.chain(key),
  }
}

function presentProtocol(key: string, state: PortfolioState, presentation: Shown): PortfolioProtocol {
  const isWallet = key === WALLET_KEY
  const parts = state.reads
    .map((read) => (isWallet ? walletPart(read, presentation) : protocolPart(key, read, state, presentation)))
    .filter((part) => part.assets.length > 0)
  return {
    key,
    name: isWallet ? 'Wallet' : presentation.protocol(key).name,
    value: formatDecimal(sum(parts.map((part) => part.value))),
    ...presentPnl(parts.flatMap((part) => part.pnl)),
    assets: presentation.flatAssets ? parts.flatMap((part) => part.assets) : [],
    chains: Object.fromEntries(parts.map((part) => [part.chain, presentPart(part, presentation)])),
    ...presentation.images?.protocol(key),
  }
}

/** Assets of the wallet itself or of one protocol, on one chain. */
type Part = {
  chain: string
  value: Decimal
  assets: PortfolioAsset[]
  pnl: Judged[]
  groups: OnChain['protocolPositions']
}

function walletPart({ read, held }: ValuedRead, presentation: Shown): Part {
  const chain = presentation.chain(read.chain)
  const pnlOfAsset = (asset: ValuedAsset) => presentation.pnl?.ofAsset(chain.key, asset) ?? NO_HISTORY
  const assets = byValue(held).map((asset) => presentAsset(asset, chain, presentation, pnlOfAsset(asset)))
  const value = totalOf(held)
  const pnl = held.map(pnlOfAsset)
  const groups = { WALLET: presentGroup('WALLET', value, { assets, nested: [], pnl }) }
  return { chain: chain.key, value, assets, pnl, groups }
}

function protocolPart(key: string, read: ValuedRead, { merged }: PortfolioState, presentation: Shown): Part {
  const chain = presentation.chain(read.read.chain)
  const present = (assets: readonly ValuedAsset[]) =>
    assets.map((asset) => presentAsset(asset, chain, presentation, NOT_REPORTED))
  const positions = read.positions.filter(({ position }) => position.protocol === key)
  const listed = merged ? [mergedSides(positions)] : positions
  const assets = listed.flatMap(({ supplied, rewards, borrowed }) => [
    ...present([...supplied, ...rewards]),
    ...present(borrowed).map(asDebt),
  ])
  const siteUrlOf = (protocol: string) => presentation.protocol(protocol).siteUrl
  const ofPosition: PnlOfPosition = (position) => presentation.pnl?.ofPosition(chain.key, position) ?? NO_HISTORY
  const byType = Map.groupBy(positions, ({ position }) => positionTypes[position.kind])
  const groups = [...byType].map(([type, members]) => {
    return [type, positionGroup(type, members, { present, siteUrlOf, ofPosition })]
  })
  return {
    chain: chain.key,
    value: sum(positions.map((position) => position.value)),
    assets,
    pnl: positions.map(ofPosition),
    groups: Object.fromEntries(groups),
  }
}

type Sides = Readonly<Record<'supplied' | 'rewards' | 'borrowed', readonly ValuedAsset[]>>

function mergedSides(positions: readonly Sides[]): Sides {
  return {
    supplied: mergeAssets(positions.flatMap(({ supplied, rewards }) => [...supplied, ...rewards])),
    rewards: [],
    borrowed: mergeAssets(positions.flatMap(({ borrowed }) => borrowed)),
  }
}

type OnChain = PortfolioProtocol['chains'][string]

function presentPart({ chain, value, pnl, groups }: Part, { chain: chainOf, images }: Shown): OnChain {
  return {
    key: chain,
    name: chainOf(chain).name,
    value: formatDecimal(value),
    ...presentPnl(pnl),
    protocolPositions: groups,
    ...images?.chain(chain),
  }
}

function presentAsset(asset: ValuedAsset, chain: ShownChain, presentation: Presentation, pnl: Judged): PortfolioAsset {
  const { token } = asset
  const contract = token.address
  const symbol = token.symbol.toLowerCase()
  return {
    balance: formatDecimal(asset.balance),
    symbol,
    name: token.name.toLowerCase(),
    displaySymbol: token.symbol,
    displayName: token.name,
    price: formatDecimal(asset.price),
    value: formatDecimal(asset.value),
    contractAddress: contract,
    contract,
    chain: chain.key,
    chainKey: chain.key,
    chainContract: `${chain.key}:${contract || symbol}`,
    decimal: String(token.decimals),
    priceSource: asset.priceSource,
    openPnl: orUnknown(pnl.openPnl),
    totalCostBasis: orUnknown(pnl.totalCostBasis),
    ...(pnl.lacks && { pnlReason: pnl.lacks }),
    ...(presentation.explorerUrls && chain.explorer && { explorerUrl: chain.explorer.token + contract }),
    ...(contract ? presentation.images?.token(chain.key, contract, token.symbol) : presentation.images?.symbol(symbol)),
  }
}

export type ShownParts = { images: boolean; explorerUrls: boolean; flatAssets: boolean; origin: string }

export function createPresentation(
  chains: readonly Chain[],
  rows: readonly NamedProtocol[],
  iconUrls: OriginIconUrls,
  latestRates: () => CoinRates = () => NO_COIN_RATES,
) {
  const [shown, protocols] = [byKey(chains), firstByKey(rows)]
  return ({ explorerUrls, flatAssets, images, origin }: ShownParts): Presentation => ({
    explorerUrls,
    flatAssets,
    coins: latestRates(),
    chain: (key) => ofEnabled(shown, key),
    // A protocol may have left the catalog since the wallet was read.
    protocol: (key) => protocols.get(key) ?? { name: key },
    ...(images && { images: iconUrls(origin) }),
  })
}
