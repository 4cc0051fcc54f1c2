import type { KindSettings } from '../kinds/settings.ts'
import { type Config, settingOf } from './config.ts'

/** What kinds of chains use of the configuration. `currencies`: those that have a rate, as upper-case codes. */
export function kindSettingsOf(
  { prices, protocols, bridges, labels, explorers, airdrops }: Config,
  currencies: readonly string[],
): KindSettings {
  return {
    prices: { ...prices, setting: settingOf(prices), currencies },
    protocols,
    bridges,
    labels,
    explorers,
    airdrops,
  }
}
