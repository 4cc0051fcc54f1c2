import { Failure } from '@coffer/contract'
import type { Airdrop, AirdropPart, AirdropReading, WalletAirdrops } from '../../chains/airdrops.ts'
import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, fromRaw, sum } from '../../domain/decimal.ts'
import type { Price } from '../../domain/price.ts'
import type { Token } from '../../domain/token.ts'
import { type ValuedAsset, valueAsset } from '../../domain/valuation.ts'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { IconUrls } from '../icons/icons.ts'
import { askCoinRates, type CoinRates, conversionRates, type UsdPerEach } from '../portfolio/conversion-rates.ts'
import { isWhole, withCompleteness } from '../portfolio/present-portfolio.ts'
import { presentAirdrops } from './present-airdrops.ts'

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
type ReadAirdrops = (wallet: Address) => Promise<ValuedAirdrops>

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

export type AirdropViews = ReturnType<typeof createAirdropViews>

/** `chain`: absent if no chain type has airdrops. `read`: also if not enabled. */
export function createAirdropViews({ chain, read }: { chain: Chain | undefined; read: ReadAirdrops | undefined }) {
  return {
    check(): void {
      if (!chain) throw new Failure('VALIDATION_ERROR', 'addresses: no chain here has airdrops that can be read')
      if (!read) throw new Failure('VALIDATION_ERROR', `addresses: ${chain.key} is not enabled here`)
    },

    async list(addresses: readonly Address[], images: IconUrls) {
      const found = addresses.map(async (address) => {
        if (!chain || !read) throw new UpstreamError('not-allowed', 'the chain of airdrops is not enabled')
        return presentAirdrops(await read(address), { chain, images })
      })
      const views = await Promise.all(found).catch((error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error
        throw new Failure('UPSTREAM_UNAVAILABLE', `${chain?.name ?? 'the chain'} could not be read`)
      })
      return withCompleteness(views, views.every(isWhole))
    },
  }
}
