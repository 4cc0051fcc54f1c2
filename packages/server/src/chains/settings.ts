import type { Address } from '../domain/address.ts'
import type { Secret } from '../lib/secret.ts'
import type { ReadSetting } from '../prices/source-module.ts'
import type { PriceOverride } from '../prices/sources/override-prices.ts'
import type { AirdropSettings } from './airdrops.ts'
import type { ProtocolRow } from './protocol-row.ts'

/** The aggregator answers in USD. */
type PriceFeed = { chain: string; token: Address; aggregator: Address; heartbeatSeconds: number }

/** `contracts`: by chain key. */
type OwnBridge = { key: string; name: string; contracts: Readonly<Record<string, readonly Address[]>> }

/** `category`: `usage_category` of the Open Labels Initiative. */
export type OwnLabel = { chain: string; address: Address; protocol: string; category: string }

export type ExplorerSettings = {
  etherscanUrl: Secret
  etherscanKey: Secret | null
  blockscoutUrls: ReadonlyMap<string, Secret>
}

export type ChainTypeSettings = {
  prices: {
    sources: readonly string[]
    setting: ReadSetting
    feeds: readonly PriceFeed[]
    overrides: readonly PriceOverride[]
    /** Upper-case codes. */
    currencies: readonly string[]
  }
  protocols: readonly ProtocolRow[]
  bridges: readonly OwnBridge[]
  labels: readonly OwnLabel[]
  explorers: ExplorerSettings
  airdrops: AirdropSettings
}
