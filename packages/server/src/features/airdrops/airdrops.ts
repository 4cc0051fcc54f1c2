import { type AirdropAsset, type AirdropPosition, type Airdrops, Failure } from '@coffer/contract'
import type { Airdrop, AirdropPart, AirdropReading, WalletAirdrops } from '../../chains/airdrops.ts'
import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, formatDecimal, fromRaw, sum } from '../../domain/decimal.ts'
import type { Price } from '../../domain/price.ts'
import type { Token } from '../../domain/token.ts'
import { type ValuedAsset, valueAsset } from '../../domain/valuation.ts'
import type { Clock } from '../../lib/clock.ts'
import { compareText } from '../../lib/compare-text.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { IconUrls } from '../icons/icons.ts'
import {
  askCoinRates,
  type CoinRates,
  conversionRates,
  presentRates,
  type UsdPerEach,
} from '../portfolio/conversion-rates.ts'
import { isWhole, withCompleteness } from '../portfolio/present-portfolio.ts'

/** `chain`: absent if no chain type has airdrops. `find`: also if the chain is not enabled. */
type AirdropsContext = {
  chain: Chain | undefined
  find: AirdropReading | undefined
  usdPerEach: UsdPerEach
  clock: Clock
}

type ValuedPart = AirdropPart & { asset: ValuedAsset }

/** `value` counts claimable parts only. */
type ValuedAirdrop = Omit<Airdrop, 'parts'> & { parts: readonly ValuedPart[]; value: Decimal }

type ValuedAirdrops = Omit<WalletAirdrops, 'airdrops' | 'tokens' | 'prices'> & {
  address: Address
  /** Unix milliseconds. */
  readAt: number
  airdrops: readonly ValuedAirdrop[]
  rates: CoinRates
}

type Enabled = AirdropsContext & { chain: Chain; find: AirdropReading }

/** Throws VALIDATION_ERROR. */
export function enabledAirdrops({ chain, find, ...rest }: AirdropsContext): Enabled {
  if (!chain) throw new Failure('VALIDATION_ERROR', 'addresses: this service reads no chain with airdrops')
  if (!find) throw new Failure('VALIDATION_ERROR', `addresses: ${chain.key} is not enabled here`)
  return { chain, find, ...rest }
}

export async function listAirdrops(context: AirdropsContext, addresses: readonly Address[], images: IconUrls) {
  const enabled = enabledAirdrops(context)
  const { chain } = enabled
  const found = addresses.map(async (address) =>
    presentAirdrops(await readAirdrops(enabled, address), { chain, images }),
  )
  const views = await Promise.all(found).catch((error: unknown) => {
    if (!(error instanceof UpstreamError)) throw error
    throw new Failure('UPSTREAM_UNAVAILABLE', `${chain.name} could not be read`)
  })
  return withCompleteness(views, views.every(isWhole))
}

/** Rejects with `UpstreamError` if the chain cannot be read. */
async function readAirdrops({ chain, find, usdPerEach, clock }: Enabled, wallet: Address): Promise<ValuedAirdrops> {
  const coins = askCoinRates(usdPerEach)
  const { airdrops, tokens, prices, ...found } = await find(chain.key, wallet).catch((error: unknown) =>
    coins.then(() => Promise.reject(error)),
  )
  const valued = airdrops.map((airdrop) => valueAirdrop(airdrop, tokens.get(airdrop.mint) as Token, prices))
  const assets = valued.flatMap(({ parts }) => parts.map(({ asset }) => asset))
  const rates = conversionRates(assets, await coins)
  return { address: wallet, readAt: clock.now(), ...found, airdrops: valued, rates }
}

function valueAirdrop(airdrop: Airdrop, token: Token, prices: ReadonlyMap<Address, Price>): ValuedAirdrop {
  const parts = airdrop.parts.map((part) => ({
    ...part,
    asset: valueAsset(token, fromRaw(part.amountRaw, token.decimals), prices.get(token.address)),
  }))
  return { ...airdrop, parts, value: sum(parts.filter((part) => part.isClaimable).map(({ asset }) => asset.value)) }
}

type Presentation = { chain: Chain; images: IconUrls }

function presentAirdrops(wallet: ValuedAirdrops, presentation: Presentation): Airdrops {
  const { chain } = presentation
  const { airdrops, clock, gaps, rates } = wallet
  const value = formatDecimal(sum(airdrops.map((airdrop) => airdrop.value)))
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
    chains: airdrops.length > 0 ? { [chain.key]: presentChain(presentation, value) } : {},
    asOf: { [chain.key]: { block: String(clock.slot), timestamp } },
    incomplete: gaps.map((gap) => ({ chain: chain.key, ...gap })),
  }
}

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
      [chain.key]: { ...presentChain(presentation, value), protocolPositions: { AIRDROP: group } },
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
