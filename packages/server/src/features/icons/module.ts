import type { Chain } from '../../kinds/chain.ts'
import type { ChainKinds } from '../../kinds/kind.ts'
import type { TokenCatalog } from '../../knowledge/token-catalog.ts'
import { iconRoutes } from './icon-routes.ts'
import { createIconUrls, type OriginIconUrls } from './icon-urls.ts'
import { createIcons } from './icons.ts'

/** Icons of chains, tokens and protocols, and where they are. */
export function iconModule({
  config: { chains },
  kinds: { spell },
  catalog,
}: {
  config: { chains: readonly Chain[] }
  kinds: Pick<ChainKinds, 'spell'>
  catalog: TokenCatalog
}) {
  const iconUrls: OriginIconUrls = (origin) => createIconUrls({ origin, tokens: catalog, spell })
  return { publicRoutes: iconRoutes(createIcons({ chains, tokens: catalog, spell })), iconUrls }
}
