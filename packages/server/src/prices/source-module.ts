import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { WarnLog } from '../lib/logger.ts'
import type { FxApi } from './fx-rate.ts'
import { createPriceGraph, type PriceGraph, RECEIPT } from './price-graph.ts'
import type { PriceSource } from './price-source.ts'
import type { PriceOverride } from './sources/override-prices.ts'
import type { CoinApi } from './symbol-prices.ts'

type SourceSetting = { variable: string } & ({ kind: 'url'; otherwise: string } | { kind: 'key' })

/** Undefined: no key. */
export type ReadSetting = (variable: string) => string | undefined

export type SourceFacts = {
  /** As in `COFFER_PRICES`. */
  readonly name: string
  /** Asks a service: the operator must name it. */
  readonly leavesNode: boolean
  readonly settings: readonly SourceSetting[]
  /** USD per unit. Rejects with `UpstreamError`. */
  usdPerUnit?(setting: ReadSetting, currency: string): Promise<Decimal | undefined>
  /** `id`: CoinGecko's. */
  usdPerCoin?(setting: ReadSetting, id: string): Promise<Decimal | undefined>
}

export type SourceContext = {
  setting: ReadSetting
  overrides: readonly PriceOverride[]
  spell(address: string): Address
}

export type PriceSourceModule<Reader, Context = SourceContext> = SourceFacts & {
  /** Knows prices of past days without the chain's state. */
  readonly needsNoState: boolean
  create(context: Context): PriceSource<Reader> | typeof RECEIPT
}

export function createPriceGraphs<Reader, Context>(
  modules: readonly PriceSourceModule<Reader, Context>[],
  { names, context, log }: { names: readonly string[]; context: Context; log: WarnLog },
): { prices: PriceGraph<Reader>; datedPrices: PriceGraph<Reader> } {
  const chosen = inOrder(modules, names)
  const graphOf = (those: typeof chosen) =>
    createPriceGraph<Reader>({ sources: those.map((module) => module.create(context)), log })
  return { prices: graphOf(chosen), datedPrices: graphOf(chosen.filter(({ needsNoState }) => needsNoState)) }
}

export function fxApisOf(sources: readonly SourceFacts[], names: readonly string[], setting: ReadSetting): FxApi[] {
  return inOrder(sources, names).flatMap(({ name, usdPerUnit }) =>
    usdPerUnit ? [{ name, usdPerUnit: (currency) => usdPerUnit(setting, currency) }] : [],
  )
}

export function coinApisOf(sources: readonly SourceFacts[], names: readonly string[], setting: ReadSetting): CoinApi[] {
  return inOrder(sources, names).flatMap(({ name, usdPerCoin }) =>
    usdPerCoin ? [{ name, usdPerCoin: (id) => usdPerCoin(setting, id) }] : [],
  )
}

function inOrder<S extends { name: string }>(sources: readonly S[], names: readonly string[]): S[] {
  return names.flatMap((name) => sources.find((source) => source.name === name) ?? [])
}

/** Done by the price graph. */
export const receiptSource: PriceSourceModule<unknown> = {
  name: RECEIPT,
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: () => RECEIPT,
}
