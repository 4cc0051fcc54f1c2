import type { V1Answer } from '../../api/types.ts'
import { amountOf, symbolOf, worthOf } from '../../lib/assets.ts'

export type Portfolio = V1Answer<'GET', '/v1/portfolio'>[number]
export type Missing = Portfolio['pnlIncomplete'][number]
export type MissingReason = Missing['reason']
type Protocol = Portfolio['assetByProtocols'][string]
type Group = NonNullable<Protocol['chains'][string]['protocolPositions']['WALLET']>
type Position = Group['protocolPositions'][number]
type Asset = Group['assets'][number]

/** A held asset or position, with its cost and the gain if it were sold now. */
export type CostLine = {
  key: string
  wallet: string
  /** Symbol of an asset, name of a position; may be untrusted. */
  name: string
  /** Assets of a position. */
  parts: string
  chain: string
  protocol: string
  /** Only of an asset. */
  amount: string | null
  isDebt: boolean
  value: string
  priceSource: string | null
  contract: string | null
  cost: string
  openPnl: string
  /** Reason why cost or PnL is unknown; null if they are known, or nothing gives a reason. */
  reason: MissingReason | null
}

const UNKNOWN = 'N/A'

export const costLines = (portfolios: readonly Portfolio[]): CostLine[] =>
  portfolios.flatMap((portfolio) =>
    Object.values(portfolio.assetByProtocols).flatMap((protocol) =>
      groupsOf(protocol).flatMap(({ chain, type, group }) => {
        const place = {
          portfolio,
          protocol: protocol.name,
          chain,
          key: `${portfolio.address} ${protocol.key} ${chain} ${type}`,
        }
        return [
          ...group.assets.map((asset, index) => assetLine(asset, { ...place, key: `${place.key} asset ${index}` })),
          ...group.protocolPositions.map((position, index) =>
            positionLine(position, { ...place, key: `${place.key} position ${index}` }),
          ),
        ]
      }),
    ),
  )

const groupsOf = ({ chains }: Protocol): { chain: string; type: string; group: Group }[] =>
  Object.entries(chains).flatMap(([chain, { protocolPositions }]) =>
    Object.entries(protocolPositions).flatMap(([type, group]) => (group ? [{ chain, type, group }] : [])),
  )

type Place = { portfolio: Portfolio; protocol: string; chain: string; key: string }

function assetLine(asset: Asset, place: Place): CostLine {
  const { contractAddress: contract, totalCostBasis: cost, openPnl } = asset
  return {
    ...whereOf(place),
    name: symbolOf(asset),
    parts: '',
    amount: amountOf(asset),
    isDebt: asset.side === 'borrow',
    contract,
    cost,
    openPnl,
    priceSource: asset.priceSource,
    value: worthOf(asset),
    reason: reasonOf(place, [cost, openPnl], [contract]),
  }
}

function positionLine(position: Position, place: Place): CostLine {
  const { totalCostBasis: cost, totalOpenPnl: openPnl, value, poolAddress, vaultAddress } = position
  const contracts = [poolAddress, vaultAddress].filter((address) => address !== undefined)
  const assets = partsOf(position)
  return {
    ...whereOf(place),
    name: position.name,
    amount: null,
    isDebt: false,
    value,
    cost,
    openPnl,
    priceSource: null,
    parts: [...new Set(assets.map(symbolOf))].join(', '),
    contract: contracts[0] ?? null,
    reason: reasonOf(place, [cost, openPnl], [...contracts, ...assets.map(({ contractAddress }) => contractAddress)]),
  }
}

const whereOf = ({ portfolio, protocol, chain, key }: Place) => ({ key, wallet: portfolio.address, protocol, chain })

const partsOf = (position: Position): Asset[] => [
  ...position.assets,
  ...position.supplyAssets,
  ...position.borrowAssets,
  ...position.rewardAssets,
  ...position.dexAssets,
]

/** Returns the reason of the whole wallet, of one of the contracts, or of the whole chain. */
function reasonOf({ portfolio, chain }: Place, figures: readonly string[], contracts: readonly string[]) {
  if (!figures.includes(UNKNOWN)) return null
  const isOf = (item: Missing) =>
    item.chain === undefined ||
    (item.chain === chain && (item.contract === undefined || contracts.includes(item.contract)))
  // An unknown sale says nothing about held assets.
  return portfolio.pnlIncomplete.find((item) => item.reason !== 'unknown-disposal' && isOf(item))?.reason ?? null
}

export const missingByReason = ({ pnlIncomplete }: Portfolio): (readonly [MissingReason, readonly Missing[]])[] => [
  ...Map.groupBy(pnlIncomplete, ({ reason }) => reason),
]
