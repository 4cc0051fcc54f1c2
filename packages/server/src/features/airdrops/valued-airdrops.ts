import type { Airdrop, AirdropPart, AirdropReading, WalletAirdrops } from '../../chains/airdrops.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, fromRaw, sum } from '../../domain/decimal.ts'
import type { Price } from '../../domain/price.ts'
import type { Token } from '../../domain/token.ts'
import { type ValuedAsset, valueAsset } from '../../domain/valuation.ts'
import type { Clock } from '../../lib/clock.ts'
import { askCoinRates, type CoinRates, conversionRates, type UsdPerEach } from '../portfolio/conversion-rates.ts'

export type ValuedPart = AirdropPart & { asset: ValuedAsset }

/** `value` counts claimable parts only. */
export type ValuedAirdrop = Omit<Airdrop, 'parts'> & { parts: readonly ValuedPart[]; value: Decimal }

export type ValuedAirdrops = Pick<WalletAirdrops, 'clock' | 'gaps'> & {
  address: Address
  /** Unix milliseconds. */
  readAt: number
  airdrops: readonly ValuedAirdrop[]
  /** USD per unit, by upper-case symbol; null: unknown. */
  rates: CoinRates
}

/** Rejects with `UpstreamError` if the chain cannot be read. */
export type ReadAirdrops = (wallet: Address) => Promise<ValuedAirdrops>

export function createReadAirdrops({
  chain,
  airdrops: find,
  usdPerEach,
  clock,
}: {
  chain: string
  airdrops: AirdropReading
  usdPerEach: UsdPerEach
  clock: Clock
}): ReadAirdrops {
  return async function readAirdrops(wallet) {
    const coins = askCoinRates(usdPerEach)
    const { airdrops, tokens, prices, ...found } = await find(chain, wallet).catch((error: unknown) =>
      coins.then(() => Promise.reject(error)),
    )
    const valued = airdrops.map((airdrop) => valueAirdrop(airdrop, tokens.get(airdrop.mint) as Token, prices))
    const assets = valued.flatMap(({ parts }) => parts.map(({ asset }) => asset))
    const rates = conversionRates(assets, await coins)
    return { address: wallet, readAt: clock.now(), ...found, airdrops: valued, rates }
  }
}

function valueAirdrop(airdrop: Airdrop, token: Token, prices: ReadonlyMap<Address, Price>): ValuedAirdrop {
  const parts = airdrop.parts.map((part) => ({
    ...part,
    asset: valueAsset(token, fromRaw(part.amountRaw, token.decimals), prices.get(token.address)),
  }))
  return { ...airdrop, parts, value: sum(parts.filter((part) => part.isClaimable).map(({ asset }) => asset.value)) }
}
