import type { PortalCaller } from '../../http/gates.ts'
import type { Actor } from './audit.ts'

/** The user of the portal that makes a change. */
export const actorOf = ({ session, from }: PortalCaller): Actor => ({
  userId: session?.userId ?? null,
  userName: session?.userName ?? '',
  address: from.address,
})
