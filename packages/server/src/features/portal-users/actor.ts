import { Failure } from '@coffer/contract'
import type { PortalCaller, PortalSession } from '../../http/gates.ts'
import type { Actor } from './audit.ts'
import type { From } from './sessions.ts'

export const actorOf = ({ session, from }: PortalCaller): Actor => ({
  userId: session?.userId ?? null,
  userName: session?.userName ?? '',
  address: from.address,
})

export const fromOf = ({ session, from }: PortalCaller): From => ({ ...from, former: session?.id })

/** Throws only if the portal door admitted an anonymous caller. */
export function signedIn({ session }: PortalCaller): PortalSession {
  if (!session) throw new Failure('UNAUTHORIZED', 'Not signed in')
  return session
}
