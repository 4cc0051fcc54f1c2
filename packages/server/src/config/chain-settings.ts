import type { ChainTypeSettings } from '../chains/settings.ts'
import { type Config, settingOf } from './config.ts'

/** Requires upper-case `currencies` that have a rate. */
export function chainTypeSettingsOf(
  { prices, protocols, bridges, labels, explorers, airdrops }: Config,
  currencies: readonly string[],
): ChainTypeSettings {
  return {
    prices: { ...prices, setting: settingOf(prices), currencies },
    protocols,
    bridges,
    labels,
    explorers,
    airdrops,
  }
}
