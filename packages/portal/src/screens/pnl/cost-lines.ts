import type { V1Answer } from '../../api/types.ts'
import { amountOf, symbolOf, worthOf } from '../../lib/assets.ts'

export type Portfolio = V1Answer<'GET', '/v1/portfolio'>[number]
export type Missing = Portfolio['pnlIncomplete'][number]
export type MissingReason = Missing['reason']
type Protocol = Portfolio['assetByProtocols'][string]
type Group = NonNullable<Protocol['chains'][string]['protocolPositions']['WALLET']>
type Position = Group['protocolPositions'][number]
type Asset = Group['assets'][number]

/** A thing that is held, with its cost and what it would earn if it were sold now. */
export type CostLine = {
  key: string
  wallet: string
  /** Of an asset its symbol, of a position its name; strangers may have written it. */
  name: string
  /** The assets of a position. */
  parts: string
  chain: string
  protocol: string
  /** Of an asset alone. */
  amount: string | null
  isDebt: boolean
  value: string
  priceSource: string | null
  contract: string | null
  cost: string
  openPnl: string
  /** Why cost or PnL is not known; null where they are, or where nothing says why. */
  reason: MissingReason | null
}

const UNKNOWN = 'N/A'

/** Assets held directly and positions in protocols, of all wallets. */
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
    ...{ name: symbolOf(asset), parts: '', amount: amountOf(asset) },
    ...{ isDebt: asset.side === 'borrow', contract, cost, openPnl, priceSource: asset.priceSource },
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
    ...{ name: position.name, amount: null, isDebt: false, value, cost, openPnl, priceSource: null },
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

/** Why one of the figures is not known: of the wallet as a whole, of one of the contracts, or of the whole chain. */
function reasonOf({ portfolio, chain }: Place, figures: readonly string[], contracts: readonly string[]) {
  if (!figures.includes(UNKNOWN)) return null
  const isOf = (item: Missing) =>
    item.chain === undefined ||
    (item.chain === chain && (item.contract === undefined || contracts.includes(item.contract)))
  // What was sold says nothing of what is held.
  return portfolio.pnlIncomplete.find((item) => item.reason !== 'unknown-disposal' && isOf(item))?.reason ?? null
}

/** What is missing in a wallet's figures, by reason. */
export const missingByReason = ({ pnlIncomplete }: Portfolio): (readonly [MissingReason, readonly Missing[]])[] => [
  ...Map.groupBy(pnlIncomplete, ({ reason }) => reason),
]
