import { firstByKey, type NamedProtocol } from '../../domain/named-protocol.ts'
import type { Chain } from '../../kinds/chain.ts'
import { ofEnabled } from '../../kinds/chain-catalog.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import { type CoinRates, NO_COIN_RATES } from './conversion-rates.ts'
import type { Presentation } from './present-portfolio.ts'

/** What a caller asks to be shown; `origin` begins the pictures' URLs. */
export type ShownParts = { images: boolean; explorerUrls: boolean; flatAssets: boolean; origin: string }

/** Names and links from the catalogs; pictures below the origin that a caller uses. */
export function createPresentation({
  chains,
  rows,
  iconUrls,
  latestRates = () => NO_COIN_RATES,
}: {
  chains: ReadonlyMap<string, Chain>
  rows: readonly NamedProtocol[]
  iconUrls(origin: string): IconUrls
  /** Absent where figures of the past are shown. */
  latestRates?(): CoinRates
}) {
  const protocols = firstByKey(rows)

  return (options: ShownParts): Presentation => ({
    explorerUrls: options.explorerUrls,
    flatAssets: options.flatAssets,
    coins: latestRates(),
    chain: (key) => ofEnabled(chains, key),
    // A protocol that left the catalog since the wallet was read is shown by its key.
    protocol: (key) => protocols.get(key) ?? { name: key },
    ...(options.images && { images: iconUrls(options.origin) }),
  })
}
