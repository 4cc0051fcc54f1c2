import type { PortalCaller } from '../../http/gates.ts'
import { listQueueStates } from '../../jobs/queue-states.ts'
import type { Ports } from '../module.ts'
import { isSessionAlive } from '../portal-users/sessions.ts'
import type { FindSyncs } from '../portfolio/sync-status.ts'
import { createLiveNews } from './live-news.ts'

export function openLive({
  database: { db },
  history: { findProgress: findSyncs },
  logger: log,
}: Pick<Ports, 'database' | 'logger'> & { history: { findProgress: FindSyncs } }) {
  const news = createLiveNews({ db, findSyncs, listQueues: () => listQueueStates(db), log })
  return {
    ownerOf: ({ session }: PortalCaller) => session?.id,
    listen: ({ accountId, session }: PortalCaller, send: (event: string, data: unknown) => void) =>
      news.listen({ accountId, isOperator: session?.isOperator === true }, send),
    isAlive: async ({ accountId, session }: PortalCaller) =>
      session !== undefined && (await isSessionAlive(db, { sessionId: session.id, accountId })),
  }
}
