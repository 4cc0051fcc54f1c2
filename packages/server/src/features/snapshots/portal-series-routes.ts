import type { seriesEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Series } from './series.ts'

export function portalSeriesRoutes({ series }: { series: Series }): Handlers<typeof seriesEndpoints, PortalCaller> {
  return { getSeries: ({ caller, query }) => series(caller.accountId, query) }
}
