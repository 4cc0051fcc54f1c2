import type { V1Answer } from '../../api/types.ts'
import { priceOf, symbolOf, worthOf } from '../../lib/assets.ts'

export type PastPortfolio = V1Answer<'GET', '/v1/historical'>[number]
type Asset = PastPortfolio['assetByProtocols'][string]['assets'][number]

/** An asset held directly or in a protocol. */
export type Holding = {
  key: string
  wallet: string
  protocol: string
  symbol: string
  asset: Asset
  /** Unknown if unpriced. */
  price: string
  value: string
}

export const holdingsOf = (portfolios: readonly PastPortfolio[]): Holding[] =>
  portfolios.flatMap(({ address, assetByProtocols }) =>
    Object.values(assetByProtocols).flatMap(({ key, name, assets }) =>
      assets.map((asset, index) => ({
        key: `${address} ${key} ${index}`,
        wallet: address,
        protocol: name,
        asset,
        symbol: symbolOf(asset),
        price: priceOf(asset),
        value: worthOf(asset),
      })),
    ),
  )
