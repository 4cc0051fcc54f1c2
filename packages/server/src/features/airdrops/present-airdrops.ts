import type { AirdropAsset, AirdropPosition, Airdrops } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { formatDecimal, sum } from '../../domain/decimal.ts'
import { compareText } from '../../lib/compare-text.ts'
import type { IconUrls } from '../icons/icons.ts'
import { presentRates } from '../portfolio/conversion-rates.ts'
import type { ValuedAirdrop, ValuedAirdrops, ValuedPart } from './airdrops.ts'

type Presentation = { chain: Chain; images: Pick<IconUrls, 'chain' | 'token' | 'protocol'> }

export function presentAirdrops(wallet: ValuedAirdrops, presentation: Presentation): Airdrops {
  const { chain, images } = presentation
  const { airdrops, clock, gaps, rates } = wallet
  const value = formatDecimal(sum(airdrops.map((airdrop) => airdrop.value)))
  const ofChain = { name: chain.name, key: chain.key, value, ...images.chain(chain.key) }
  const timestamp = new Date(clock.time * 1_000).toISOString().replace('.000Z', 'Z')
  return {
    address: wallet.address,
    networth: value,
    cashBalance: '0',
    dailyIncome: '0',
    dailyExpense: '0',
    fees: '0',
    feesFiat: '0',
    openPnl: 'N/A',
    closedPnl: 'N/A',
    totalCostBasis: 'N/A',
    conversionRates: presentRates(rates),
    lastUpdated: String(wallet.readAt),
    assetByProtocols: Object.fromEntries(
      [...Map.groupBy(airdrops, ({ protocol }) => protocol.key)]
        .sort(([one], [other]) => compareText(one, other))
        .map(([key, members]) => [key, presentProtocol(members, presentation)]),
    ),
    chains: airdrops.length > 0 ? { [chain.key]: ofChain } : {},
    asOf: { [chain.key]: { block: String(clock.slot), timestamp } },
    incomplete: gaps.map((gap) => ({ chain: chain.key, ...gap })),
  }
}

function presentProtocol(airdrops: readonly ValuedAirdrop[], presentation: Presentation) {
  const { chain, images } = presentation
  const value = formatDecimal(sum(airdrops.map((airdrop) => airdrop.value)))
  const positions = [...airdrops]
    .sort((one, other) => other.value.cmp(one.value) || compareText(one.distributor, other.distributor))
    .map((airdrop) => presentAirdrop(airdrop, presentation))
  const [{ protocol }] = airdrops as [ValuedAirdrop]
  const group = {
    name: 'Airdrop',
    totalValue: value,
    unlockAt: lastOf(airdrops.flatMap(({ parts }) => parts)),
    protocolPositions: positions,
  }
  return {
    name: protocol.name,
    key: protocol.key,
    value,
    chains: {
      [chain.key]: {
        name: chain.name,
        key: chain.key,
        value,
        protocolPositions: { AIRDROP: group },
        ...images.chain(chain.key),
      },
    },
    ...images.protocol(protocol.key),
  }
}

function presentAirdrop(airdrop: ValuedAirdrop, presentation: Presentation): AirdropPosition {
  return {
    name: airdrop.title,
    value: formatDecimal(airdrop.value),
    unlockAt: lastOf(airdrop.parts),
    assets: airdrop.parts.map((part) => presentPart(part, airdrop, presentation)),
  }
}

function presentPart(
  { asset, isClaimable, unlockAt = 0 }: ValuedPart,
  { link, mint }: ValuedAirdrop,
  { chain, images }: Presentation,
): AirdropAsset {
  const { symbol, name } = asset.token
  return {
    balance: formatDecimal(asset.balance),
    symbol: symbol.toLowerCase(),
    name: name.toLowerCase(),
    displaySymbol: symbol,
    displayName: name,
    value: formatDecimal(asset.value),
    price: formatDecimal(asset.price),
    priceSource: asset.priceSource,
    contract: mint,
    chainKey: chain.key,
    isClaimable,
    link,
    unlockAt: String(unlockAt),
    explorerUrl: chain.explorer.token + mint,
    ...images.token(chain.key, mint, symbol),
  }
}

const lastOf = (parts: readonly ValuedPart[]) => String(Math.max(0, ...parts.map(({ unlockAt = 0 }) => unlockAt)))
