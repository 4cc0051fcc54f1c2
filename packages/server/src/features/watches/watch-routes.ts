import type { Requirement, watchEndpoints } from '@coffer/contract'
import type { Caller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { NEEDS, type Watches } from './watches.ts'

export type Authorize = (caller: Pick<Caller, 'plan' | 'entitlements'>, requirement: Requirement) => void

export function watchRoutes({
  watches,
  authorize,
}: {
  watches: Watches
  authorize: Authorize
}): Handlers<ReturnType<typeof watchEndpoints>> {
  return {
    listWatches: async ({ caller }) => ({ data: await watches.list(caller.accountId) }),
    async createWatch({ caller, body }) {
      authorize(caller, NEEDS[body.type])
      return { data: await watches.create(caller.accountId, body) }
    },
    removeWatch: ({ caller, params }) => watches.remove({ accountId: caller.accountId, id: params.watchId }),
  }
}
