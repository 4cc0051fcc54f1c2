import type { Chain } from '../../chains/chain.ts'
import { byKey, ofEnabled } from '../../chains/chain-catalog.ts'
import { firstByKey, type NamedProtocol } from '../../domain/named-protocol.ts'
import type { OriginIconUrls } from '../icons/icons.ts'
import { type CoinRates, NO_COIN_RATES } from './conversion-rates.ts'
import type { Presentation } from './present-portfolio.ts'

export type ShownParts = { images: boolean; explorerUrls: boolean; flatAssets: boolean; origin: string }

export function createPresentation(
  chains: readonly Chain[],
  rows: readonly NamedProtocol[],
  iconUrls: OriginIconUrls,
  latestRates: () => CoinRates = () => NO_COIN_RATES,
) {
  const [shown, protocols] = [byKey(chains), firstByKey(rows)]
  return ({ explorerUrls, flatAssets, images, origin }: ShownParts): Presentation => ({
    explorerUrls,
    flatAssets,
    coins: latestRates(),
    chain: (key) => ofEnabled(shown, key),
    // A protocol may have left the catalog since the wallet was read.
    protocol: (key) => protocols.get(key) ?? { name: key },
    ...(images && { images: iconUrls(origin) }),
  })
}
