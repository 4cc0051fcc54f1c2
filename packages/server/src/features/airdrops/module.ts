import { type AirdropAsset, type Airdrops, Failure } from '@coffer/contract'
import type { Airdrop, AirdropPart, AirdropReading } from '../../chains/airdrops.ts'
import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import { isoTime } from '../../domain/day.ts'
import { type Decimal, formatDecimal, fromRaw, sum } from '../../domain/decimal.ts'
import type { Price } from '../../domain/price.ts'
import type { Token } from '../../domain/token.ts'
import { type ValuedAsset, valueAsset } from '../../domain/valuation.ts'
import type { Clock } from '../../lib/clock.ts'
import { compareText } from '../../lib/compare-text.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { IconUrls } from '../icons/icons.ts'
import type { Module, Ports } from '../module.ts'
import { askCoinRates, conversionRates, presentRates, type UsdPerEach } from '../portfolio/conversion-rates.ts'
import { isWhole, withCompleteness } from '../portfolio/present-portfolio.ts'

export function airdropModule({ config, chainTypes, reading, iconUrls, clock }: Ports) {
  const key = chainTypes.list.find(({ airdrops }) => airdrops)?.airdrops?.chain ?? ''
  const chain = config.chains.find((each) => each.key === key)
  const find = reading.readingOf(key)?.airdrops

  /** Throws VALIDATION_ERROR. */
  function enabled(): AirdropsContext {
    if (!chain) throw new Failure('VALIDATION_ERROR', 'addresses: this service reads no chain with airdrops')
    if (!find) throw new Failure('VALIDATION_ERROR', `addresses: ${chain.key} is not enabled here`)
    return { chain, find, usdPerEach: reading.rates.usdPerEach, clock }
  }

  return {
    handlers: {
      getAirdrops: {
        prepare: () => void enabled(),
        handle: ({ query, origin }) => listAirdrops(enabled(), query.addresses, iconUrls(origin)),
      },
    },
  } satisfies Module
}

type AirdropsContext = { chain: Chain; find: AirdropReading; usdPerEach: UsdPerEach; clock: Clock }

type ValuedPart = AirdropPart & { asset: ValuedAsset }

/** `value` counts claimable parts only. */
type ValuedAirdrop = Omit<Airdrop, 'parts'> & { parts: readonly ValuedPart[]; value: Decimal }

async function listAirdrops(context: AirdropsContext, addresses: readonly Address[], images: IconUrls) {
  const found = addresses.map((address) => viewAirdrops(context, address, images))
  const views = await Promise.all(found).catch((error: unknown) => {
    if (!(error instanceof UpstreamError)) throw error
    throw new Failure('UPSTREAM_UNAVAILABLE', `${context.chain.name} could not be read`)
  })
  return withCompleteness(views, views.every(isWhole))
}

/** Rejects with `UpstreamError` if the chain cannot be read. */
async function viewAirdrops(context: AirdropsContext, wallet: Address, images: IconUrls): Promise<Airdrops> {
  const { chain, find, usdPerEach, clock } = context
  const coins = askCoinRates(usdPerEach)
  const found = await find(chain.key, wallet).catch((error: unknown) => coins.then(() => Promise.reject(error)))
  const airdrops = found.airdrops.map((one) => valueAirdrop(one, found.tokens.get(one.mint) as Token, found.prices))
  const assets = airdrops.flatMap(({ parts }) => parts.map(({ asset }) => asset))
  const rates = conversionRates(assets, await coins)
  const readAt = clock.now()
  const presentation = { chain, images }
  const value = formatDecimal(sum(airdrops.map((airdrop) => airdrop.value)))
  const timestamp = isoTime(found.clock.time)
  return {
    address: wallet,
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
    lastUpdated: String(readAt),
    assetByProtocols: Object.fromEntries(
      [...Map.groupBy(airdrops, ({ protocol }) => protocol.key)]
        .sort(([one], [other]) => compareText(one, other))
        .map(([key, members]) => [key, presentProtocol(members, presentation)]),
    ),
    chains: airdrops.length > 0 ? { [chain.key]: presentChain(presentation, value) } : {},
    asOf: { [chain.key]: { block: String(found.clock.slot), timestamp } },
    incomplete: found.gaps.map((gap) => ({ chain: chain.key, ...gap })),
  }
}

function valueAirdrop(airdrop: Airdrop, token: Token, prices: ReadonlyMap<Address, Price>): ValuedAirdrop {
  const parts = airdrop.parts.map((part) => ({
    ...part,
    asset: valueAsset(token, fromRaw(part.amountRaw, token.decimals), prices.get(token.address)),
  }))
  return { ...airdrop, parts, value: sum(parts.filter((part) => part.isClaimable).map(({ asset }) => asset.value)) }
}

type Presentation = { chain: Chain; images: IconUrls }

const presentChain = ({ chain: { name, key }, images }: Presentation, value: string) => ({
  name,
  key,
  value,
  ...images.chain(key),
})

function presentProtocol(airdrops: readonly ValuedAirdrop[], presentation: Presentation) {
  const { chain, images } = presentation
  const value = formatDecimal(sum(airdrops.map((airdrop) => airdrop.value)))
  const positions = [...airdrops]
    .sort((one, other) => other.value.cmp(one.value) || compareText(one.distributor, other.distributor))
    .map((airdrop) => ({
      name: airdrop.title,
      value: formatDecimal(airdrop.value),
      unlockAt: lastOf(airdrop.parts),
      assets: airdrop.parts.map((part) => presentPart(part, airdrop, presentation)),
    }))
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
      [chain.key]: { ...presentChain(presentation, value), protocolPositions: { AIRDROP: group } },
    },
    ...images.protocol(protocol.key),
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
