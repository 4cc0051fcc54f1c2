import { Failure } from '@coffer/contract'
import type { PortalCaller, PortalSession } from '../../http/gates.ts'
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

/** Who is signed in; the door has let nobody else through. */
export function signedIn({ session }: PortalCaller): PortalSession {
  if (!session) throw new Failure('UNAUTHORIZED', 'Nobody is signed in')
  return session
}
