import type { Address } from '../domain/address.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { FxApi } from './fx-rate.ts'
import { createPriceGraph, type PriceGraph, type PriceLog, type RECEIPT } from './price-graph.ts'
import type { PriceSource } from './price-source.ts'
import type { PriceOverride } from './sources/override-prices.ts'
import type { CoinApi } from './symbol-prices.ts'

/** An environment variable of a source: a URL, which has a default, or a key, which may be absent. */
type SourceSetting = { variable: string } & ({ kind: 'url'; otherwise: string } | { kind: 'key' })

/** The value of a setting; undefined for a key that is not set. */
export type ReadSetting = (variable: string) => string | undefined

/** What the configuration has to know of a source. */
export type SourceFacts = {
  /** As `COFFER_PRICES` names it. */
  readonly name: string
  /** It asks a service beside the nodes. The operator has to name it. */
  readonly leavesNode: boolean
  readonly settings: readonly SourceSetting[]
  /** USD for one unit of a currency. Rejects with `UpstreamError`. */
  usdPerUnit?(setting: ReadSetting, currency: string): Promise<Decimal | undefined>
  /** USD for one unit of a coin, by CoinGecko's name of it. Rejects with `UpstreamError`. */
  usdPerCoin?(setting: ReadSetting, id: string): Promise<Decimal | undefined>
}

/** What every source is created with. `spell`: an address of a row as tokens of the kind of chain have it. */
export type SourceContext = {
  setting: ReadSetting
  overrides: readonly PriceOverride[]
  spell(address: string): Address
}

/** A price source: each is one file, and a line in the list of the kinds of chains that it serves. */
export type PriceSourceModule<Reader, Context = SourceContext> = SourceFacts & {
  /** It knows prices of past days without the chain's state. */
  readonly needsNoState: boolean
  create(context: Context): PriceSource<Reader> | typeof RECEIPT
}

/** The operator's sources in his order as price graphs: all of them, and those alone that need no state of the chain. */
export function createPriceGraphs<Reader, Context>(
  modules: readonly PriceSourceModule<Reader, Context>[],
  { names, context, log }: { names: readonly string[]; context: Context; log: PriceLog },
): { prices: PriceGraph<Reader>; datedPrices: PriceGraph<Reader> } {
  const chosen = inOrder(modules, names)
  const graphOf = (those: typeof chosen) =>
    createPriceGraph<Reader>({ sources: those.map((module) => module.create(context)), log })
  return { prices: graphOf(chosen), datedPrices: graphOf(chosen.filter(({ needsNoState }) => needsNoState)) }
}

/** The sources of the operator that know exchange rates. */
export function fxApisOf(sources: readonly SourceFacts[], names: readonly string[], setting: ReadSetting): FxApi[] {
  return inOrder(sources, names).flatMap(({ name, usdPerUnit }) =>
    usdPerUnit ? [{ name, usdPerUnit: (currency) => usdPerUnit(setting, currency) }] : [],
  )
}

/** The sources of the operator that know coins by their names. */
export function coinApisOf(sources: readonly SourceFacts[], names: readonly string[], setting: ReadSetting): CoinApi[] {
  return inOrder(sources, names).flatMap(({ name, usdPerCoin }) =>
    usdPerCoin ? [{ name, usdPerCoin: (id) => usdPerCoin(setting, id) }] : [],
  )
}

function inOrder<S extends { name: string }>(sources: readonly S[], names: readonly string[]): S[] {
  return names.flatMap((name) => sources.find((source) => source.name === name) ?? [])
}
