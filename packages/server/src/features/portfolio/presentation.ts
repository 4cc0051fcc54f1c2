import type { Chain } from '../../chains/chain.ts'
import type { NamedProtocol } from '../../protocols/adapter.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import type { Presentation } from './present-portfolio.ts'

/** Names and links from the catalogs; pictures below the origin that a caller uses. */
export function createPresentation({
  chains,
  rows,
  iconUrls,
}: {
  chains: ReadonlyMap<string, Chain>
  rows: readonly NamedProtocol[]
  iconUrls(origin: string): IconUrls
}) {
  const protocols = new Map(rows.toReversed().map((row) => [row.key, row]))

  return (options: { images: boolean; explorerUrls: boolean; origin: string }): Presentation => ({
    explorerUrls: options.explorerUrls,
    chain(key) {
      const chain = chains.get(key)
      if (!chain) throw new Error(`${key} is not enabled`)
      return chain
    },
    // A protocol that left the catalog since the wallet was read is shown by its key.
    protocol: (key) => protocols.get(key) ?? { name: key },
    ...(options.images && { images: iconUrls(options.origin) }),
  })
}
