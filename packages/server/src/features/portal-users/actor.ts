import type { PortalCaller } from '../../http/gates.ts'
import type { Actor } from './audit.ts'
import type { From } from './sessions.ts'

/** The user of the portal that makes a change. */
export const actorOf = ({ session, from }: PortalCaller): Actor => ({
  userId: session?.userId ?? null,
  userName: session?.userName ?? '',
  address: from.address,
})

/** From where a user signs in. */
export const fromOf = ({ session, from }: PortalCaller): From => ({ ...from, former: session?.id })
