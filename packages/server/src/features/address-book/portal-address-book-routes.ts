import type { portalAddressBookEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { actorOf } from '../portal-users/actor.ts'
import type { KeptEntries } from './kept-entries.ts'

export function portalAddressBookRoutes({
  entries,
}: {
  entries: KeptEntries
}): Handlers<typeof portalAddressBookEndpoints, PortalCaller> {
  const own = ({ caller, params }: { caller: PortalCaller; params: { address: string } }) => ({
    accountId: caller.accountId,
    address: params.address,
  })
  return {
    listEntries: ({ caller }) => entries.list(caller.accountId),
    removeEntry: async (call) => {
      await entries.remove(actorOf(call.caller), own(call))
      return {}
    },
    challengeOwner: (call) => entries.challenge(own(call), `Coffer at ${call.origin}`),
    verifyOwner: (call) => entries.verify(actorOf(call.caller), own(call), call.body.signature),
  }
}
