import type { quoteEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Quotes } from './quotes.ts'

export function portalQuoteRoutes({ quotes }: { quotes: Quotes }): Handlers<typeof quoteEndpoints, PortalCaller> {
  return { quote: ({ caller, body }) => quotes(caller.accountId, body) }
}
