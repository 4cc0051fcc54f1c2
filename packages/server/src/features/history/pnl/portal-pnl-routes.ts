import type { pnlEndpoints } from '@coffer/contract/portal'
import type { Address } from '../../../domain/address.ts'
import type { PortalCaller } from '../../../http/gates.ts'
import type { Handlers } from '../../../http/mount.ts'
import type { PnlViews } from './pnl-views.ts'

export function portalPnlRoutes({
  views,
  check,
}: {
  views: PnlViews
  check(wallets: readonly Address[]): void
}): Handlers<typeof pnlEndpoints, PortalCaller> {
  const prepare = ({ query }: { query: { addresses: readonly Address[] } }) => check(query.addresses)
  return {
    getPnlPeriods: { prepare, handle: ({ caller, query }) => views.periods(caller.accountId, query) },
    listSoldLots: { prepare, handle: ({ caller, query }) => views.sold(caller.accountId, query) },
    listOpenLots: { prepare, handle: ({ caller, query }) => views.open(caller.accountId, query) },
    listEarnings: { prepare, handle: ({ caller, query }) => views.income(caller.accountId, query) },
  }
}
