import type { Ports } from '../module.ts'
import { iconRoutes } from './icon-routes.ts'
import { createIconUrls, type OriginIconUrls } from './icon-urls.ts'
import { createIcons } from './icons.ts'

export function iconModule({
  config: { chains },
  chainTypes: { spell },
  reading: { catalog: tokens },
}: Pick<Ports, 'config' | 'chainTypes' | 'reading'>) {
  const iconUrls: OriginIconUrls = (origin) => createIconUrls({ origin, tokens, spell })
  return { publicRoutes: iconRoutes(createIcons({ chains, tokens, spell })), iconUrls }
}
