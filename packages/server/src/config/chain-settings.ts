import type { KindSettings } from '../chains/settings.ts'
import { type Config, settingOf } from './config.ts'

/** Requires upper-case `currencies` that have a rate. */
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
