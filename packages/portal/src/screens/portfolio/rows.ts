import type { HeldAsset, Holding } from '../../api/holdings.ts'
import { sumDecimals } from '../../lib/decimals.ts'
import { compareDecimals } from '../../lib/pixels.ts'

type Protocol = Holding['assetByProtocols'][string]
type Group = NonNullable<Protocol['chains'][string]['protocolPositions']['LENDING']>
type Position = Group['protocolPositions'][number]

/** Protocol key of directly held tokens. */
const WALLET = 'wallet'
const SMALL_USD = '1'
const NO_UNLOCK = '0'

/** A token held directly on a chain. */
export type TokenRow = { key: string; holding: Holding; asset: HeldAsset }

export function tokenRows(holdings: readonly Holding[]): TokenRow[] {
  return holdings.flatMap((holding) =>
    Object.values(holding.assetByProtocols[WALLET]?.chains ?? {})
      .flatMap(({ protocolPositions }) => protocolPositions.WALLET?.assets ?? [])
      .map((asset, index) => ({ key: `${holding.address} ${index} ${asset.chainContract}`, holding, asset })),
  )
}

/** Returns true below 1 USD or without a price, like most tokens from untrusted senders. */
export const isSmall = ({ asset: { priceSource, value } }: TokenRow): boolean =>
  priceSource === null || compareDecimals(value, SMALL_USD) < 0

export function matches({ asset }: TokenRow, text: string): boolean {
  const wanted = text.trim().toLowerCase()
  return [asset.symbol, asset.name, asset.chain, asset.contract].some((part) => part.toLowerCase().includes(wanted))
}

export type AssetList = { side: Side; assets: readonly HeldAsset[] }
export type Side = 'supplied' | 'borrowed' | 'rewards' | 'margin' | 'base' | 'quote'

/** A position of an address at a protocol, or its total deposit there. */
export type Entry = {
  key: string
  holding: Holding
  chain: { key: string; name: string }
  /** Name of its position type. */
  type: string
  name: string
  value: string
  openPnl: string
  /** Seconds since 1970; null without a lock. */
  unlockAt: string | null
  health: string | null
  contract: string | null
  perpetual: Pick<Position, 'side' | 'size' | 'entryPrice' | 'leverage' | 'marginUsed' | 'liquidationPrice'> | null
  lists: readonly AssetList[]
}

/** Worth over all addresses and chains. */
export type Section = { key: string; name: string; value: string; entries: readonly Entry[] }

/** Most valuable protocol first. */
export function protocolSections(holdings: readonly Holding[]): Section[] {
  const parts = holdings.flatMap((holding) =>
    Object.values(holding.assetByProtocols)
      .filter(({ key }) => key !== WALLET)
      .map((protocol) => ({ holding, protocol })),
  )
  return [...Map.groupBy(parts, ({ protocol }) => protocol.key)]
    .map(([key, some]) => ({
      key,
      name: some[0]?.protocol.name ?? key,
      value: sumDecimals(some.map(({ protocol }) => protocol.value)),
      entries: some.flatMap(({ holding, protocol }) => entriesOf(holding, protocol)),
    }))
    .sort((a, b) => compareDecimals(b.value, a.value))
}

const entriesOf = (holding: Holding, protocol: Protocol): Entry[] =>
  Object.values(protocol.chains).flatMap((chain) =>
    Object.entries(chain.protocolPositions).flatMap(([type, group]) =>
      groupEntries(group, { holding, chain, type: group.name, key: `${holding.address} ${chain.key} ${type}` }),
    ),
  )

type Place = Pick<Entry, 'holding' | 'chain' | 'type' | 'key'>

function groupEntries(group: Group, place: Place): Entry[] {
  const positions = group.protocolPositions.map((position, index) => positionEntry(position, place, index))
  return group.assets.length === 0 ? positions : [depositEntry(group, place), ...positions]
}

const depositEntry = (group: Group, place: Place): Entry => ({
  ...place,
  name: '',
  value: group.totalValue,
  openPnl: group.totalOpenPnl,
  unlockAt: unlockOf(group.unlockAt),
  health: null,
  contract: null,
  perpetual: null,
  lists: [{ side: 'supplied', assets: group.assets }],
})

function positionEntry(position: Position, place: Place, index: number): Entry {
  return {
    ...place,
    key: `${place.key} ${index}`,
    name: position.name,
    value: position.value,
    openPnl: position.totalOpenPnl,
    unlockAt: unlockOf(position.unlockAt),
    health: position.healthRate ?? null,
    contract: position.poolAddress ?? position.vaultAddress ?? null,
    perpetual: position.side ? position : null,
    lists: listsOf(position).filter(({ assets }) => assets.length > 0),
  }
}

const listsOf = (position: Position): AssetList[] => [
  { side: 'supplied', assets: [...position.assets, ...position.supplyAssets] },
  { side: 'borrowed', assets: position.borrowAssets },
  { side: 'rewards', assets: position.rewardAssets },
  { side: 'margin', assets: [...position.dexAssets, ...position.marginAssets] },
  { side: 'base', assets: position.baseAssets },
  { side: 'quote', assets: position.quoteAssets },
]

const unlockOf = (seconds: string): string | null => (seconds === NO_UNLOCK ? null : seconds)
