import type { Address } from '../domain/address.ts'
import type { ReadSetting } from '../prices/source-module.ts'
import type { PriceOverride } from '../prices/sources/override-prices.ts'
import type { AirdropSettings } from './airdrop-source.ts'
import type { ExplorerSettings } from './explorer-settings.ts'
import type { ProtocolRow } from './protocol-row.ts'

/** A price feed of the operator: an aggregator that answers in USD. */
type PriceFeed = { chain: string; token: Address; aggregator: Address; heartbeatSeconds: number }

/** A bridge of the operator. `contracts`: by chain key, as the chain spells them. */
type OwnBridge = { key: string; name: string; contracts: Readonly<Record<string, readonly Address[]>> }

/** A contract of the operator's label file. `category`: its `usage_category` in the Open Labels Initiative's words. */
export type OwnLabel = { chain: string; address: Address; protocol: string; category: string }

/** What the operator has set that kinds of chains use. */
export type KindSettings = {
  prices: {
    /** In the order in which they are asked. */
    sources: readonly string[]
    setting: ReadSetting
    feeds: readonly PriceFeed[]
    overrides: readonly PriceOverride[]
    /** Currencies that have a rate, as upper-case codes. */
    currencies: readonly string[]
  }
  protocols: readonly ProtocolRow[]
  bridges: readonly OwnBridge[]
  labels: readonly OwnLabel[]
  explorers: ExplorerSettings
  airdrops: AirdropSettings
}
