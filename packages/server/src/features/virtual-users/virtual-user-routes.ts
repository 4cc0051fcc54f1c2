import type { virtualUserEndpoints } from '@coffer/contract'
import type { portalVirtualUserEndpoints } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { actorOf } from '../portal-users/audit.ts'
import { credentialsOf } from './exchange-links.ts'
import type { OwnVirtualUsers } from './own-virtual-users.ts'
import type { VirtualPortfolioViews } from './virtual-portfolio-views.ts'
import { listVirtualUsers, requireOwn, virtualAddress } from './virtual-users.ts'

export function virtualUserRoutes({
  db,
  portfolios,
}: {
  db: Kysely<Tables>
  portfolios: VirtualPortfolioViews
}): Handlers<typeof virtualUserEndpoints> {
  return {
    async listVirtualUsers({ caller }) {
      const users = await listVirtualUsers(db, caller.accountId)
      return users.map(({ id, type, label }) => ({ address: virtualAddress(id), type, label }))
    },
    getVirtualUserPortfolio: {
      prepare: ({ query, caller }) => requireOwn(db, caller.accountId, query.addresses),
      handle: ({ query, origin }) => portfolios(query, origin),
    },
  }
}

export function portalVirtualUserRoutes({
  users,
}: {
  users: OwnVirtualUsers
}): Handlers<typeof portalVirtualUserEndpoints, PortalCaller> {
  const own = ({ caller, params }: { caller: PortalCaller; params: { id: string } }) => ({
    accountId: caller.accountId,
    id: params.id,
  })
  return {
    describeVirtualUsers: ({ caller }) => users.list(caller.accountId),
    createVirtualUser: ({ caller, body }) => users.create(actorOf(caller), { accountId: caller.accountId, ...body }),
    renameVirtualUser: (call) => users.rename(actorOf(call.caller), own(call), call.body.label),
    removeVirtualUser: (call) => users.remove(actorOf(call.caller), own(call)),
    getBalances: (call) => users.balances(own(call)),
    replaceBalances: (call) => users.replaceBalances(actorOf(call.caller), own(call), call.body.balances),
    listExchanges: () => users.exchanges(),
    linkExchange: (call) =>
      users.link(actorOf(call.caller), own(call), call.body.exchange, credentialsOf(call.body.credentials)),
    unlinkExchange: (call) => users.unlink(actorOf(call.caller), own(call)),
  }
}
