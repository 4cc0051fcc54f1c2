import type { airdropEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import type { AirdropViews } from './airdrop-views.ts'

export function airdropRoutes({
  views,
  iconUrls,
}: {
  views: AirdropViews
  iconUrls(origin: string): IconUrls
}): Handlers<ReturnType<typeof airdropEndpoints>> {
  return {
    getAirdrops: {
      prepare: () => views.check(),
      handle: ({ query, origin }) => views.list(query.addresses, iconUrls(origin)),
    },
  }
}
