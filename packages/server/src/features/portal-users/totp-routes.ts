import { Failure } from '@coffer/contract'
import type { totpEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { signedIn } from './actor.ts'
import type { SecondFactors } from './second-factors.ts'

export function totpRoutes({
  secondFactors,
}: {
  secondFactors: SecondFactors
}): Handlers<typeof totpEndpoints, PortalCaller> {
  return {
    beginTotp: ({ caller }) => secondFactors.begin(signedIn(caller)),
    confirmTotp: async ({ caller, body }) => ({
      recoveryCodes: await secondFactors.confirm(signedIn(caller), body.code, caller.from),
    }),
    removeTotp: async ({ caller }) => {
      const isRemoved = await secondFactors.remove(signedIn(caller), caller.from)
      if (!isRemoved) throw new Failure('NOT_FOUND', 'No authenticator app is set up')
      return {}
    },
  }
}
