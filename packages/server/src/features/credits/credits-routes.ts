import type { creditsEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { Credits } from './credits.ts'

export function creditsRoutes({ credits }: { credits: Pick<Credits, 'available'> }): Handlers<typeof creditsEndpoints> {
  return { getCredits: ({ caller }) => credits.available(caller.accountId) }
}
