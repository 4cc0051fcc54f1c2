import type { Chain } from '../../chains/chain.ts'
import { ofEnabled } from '../../chains/chain-catalog.ts'
import { firstByKey, type NamedProtocol } from '../../domain/named-protocol.ts'
import type { IconUrls } from '../icons/icons.ts'
import { type CoinRates, NO_COIN_RATES } from './conversion-rates.ts'
import type { Presentation } from './present-portfolio.ts'

export type ShownParts = { images: boolean; explorerUrls: boolean; flatAssets: boolean; origin: string }

export function createPresentation({
  chains,
  rows,
  iconUrls,
  latestRates = () => NO_COIN_RATES,
}: {
  chains: ReadonlyMap<string, Chain>
  rows: readonly NamedProtocol[]
  iconUrls(origin: string): IconUrls
  latestRates?(): CoinRates
}) {
  const protocols = firstByKey(rows)

  return (options: ShownParts): Presentation => ({
    explorerUrls: options.explorerUrls,
    flatAssets: options.flatAssets,
    coins: latestRates(),
    chain: (key) => ofEnabled(chains, key),
    // A protocol may have left the catalog since the wallet was read.
    protocol: (key) => protocols.get(key) ?? { name: key },
    ...(options.images && { images: iconUrls(options.origin) }),
  })
}
