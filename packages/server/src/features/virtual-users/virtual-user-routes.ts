import type { portalVirtualUserEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { actorOf } from '../portal-users/audit.ts'
import { credentialsOf } from './exchange-links.ts'
import {
  addVirtualUser,
  describeVirtualUsers,
  linkOwn,
  type Own,
  type OwnVirtualUsersContext,
  removeOwn,
  renameOwn,
  replaceBalances,
  unlinkOwn,
  viewOwnBalances,
} from './own-virtual-users.ts'

export function portalVirtualUserRoutes(
  context: OwnVirtualUsersContext,
): Handlers<typeof portalVirtualUserEndpoints, PortalCaller> {
  return {
    describeVirtualUsers: ({ caller }) => describeVirtualUsers(context, caller.accountId),
    createVirtualUser: ({ caller, body }) =>
      addVirtualUser(context, actorOf(caller), { accountId: caller.accountId, ...body }),
    renameVirtualUser: (call) => renameOwn(context, actorOf(call.caller), ownOf(call), call.body.label),
    removeVirtualUser: (call) => removeOwn(context, actorOf(call.caller), ownOf(call)),
    getBalances: (call) => viewOwnBalances(context, ownOf(call)),
    replaceBalances: (call) => replaceBalances(context, actorOf(call.caller), ownOf(call), call.body.balances),
    listExchanges: () => context.exchanges.list(),
    linkExchange: (call) => {
      const { exchange, credentials } = call.body
      return linkOwn(context, actorOf(call.caller), ownOf(call), { exchange, credentials: credentialsOf(credentials) })
    },
    unlinkExchange: (call) => unlinkOwn(context, actorOf(call.caller), ownOf(call)),
  }
}

const ownOf = ({ caller, params }: { caller: PortalCaller; params: { id: string } }): Own => ({
  accountId: caller.accountId,
  id: params.id,
})
