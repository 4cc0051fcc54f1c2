import type { Chain } from '../../kinds/chain.ts'
import type { TokenCatalog } from '../../knowledge/token-catalog.ts'
import { iconRoutes } from './icon-routes.ts'
import { createIconUrls, type OriginIconUrls } from './icon-urls.ts'
import { createIcons } from './icons.ts'

/** Icons of chains, tokens and protocols, and where they are. */
export function iconModule({
  config: { chains },
  catalog,
}: {
  config: { chains: readonly Chain[] }
  catalog: TokenCatalog
}) {
  const iconUrls: OriginIconUrls = (origin) => createIconUrls({ origin, tokens: catalog })
  return { publicRoutes: iconRoutes(createIcons({ chains, tokens: catalog })), iconUrls }
}
