import type { LiveEvents, QueueView } from '@coffer/contract/portal'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSampledWarn } from '../../lib/sampled-log.ts'
import type { FindSyncs } from '../portfolio/sync-status.ts'
import { findReads, findWallets } from './live-store.ts'

const EVERY_MS = 1_000

type Send = <E extends keyof LiveEvents>(event: E, data: LiveEvents[E]) => void

type Listener = { accountId: string; isOperator: boolean; seen: Map<string, string>; isNew: boolean; send: Send }

type News = { [E in keyof LiveEvents]: { event: E; subject: string; data: LiveEvents[E] } }[keyof LiveEvents]

/**
 * Queries the database once a second for all listeners together, whatever process did the work, and never without a
 * listener.
 */
export function createLiveNews({
  db,
  findSyncs,
  listQueues,
  log,
}: {
  db: Kysely<Tables>
  findSyncs: FindSyncs
  listQueues(): Promise<QueueView[]>
  log: Pick<Logger, 'warn'>
}) {
  const listeners = new Set<Listener>()
  const warn = createSampledWarn(log)
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    const asking = [...listeners]
    const accounts = [...new Set(asking.map(({ accountId }) => accountId))]
    const wallets = await findWallets(db, accounts)
    const all = [...new Set([...wallets.values()].flat())]
    const [syncOf, reads] = all.length > 0 ? await Promise.all([findSyncs(all), findReads(db, all)]) : [undefined, []]
    const readsOf = Map.groupBy(reads, ({ address }) => address)
    const queues = asking.some(({ isOperator }) => isOperator) ? await listQueues() : []
    for (const listener of asking.filter((one) => listeners.has(one))) {
      const own = wallets.get(listener.accountId) ?? []
      tell(listener, [
        ...own.flatMap((address): News[] => {
          const found = syncOf?.(address)
          if (!found?.progress.requestedAt) return []
          return [{ event: 'sync', subject: address, data: { address, sync: found.progress } }]
        }),
        ...own.flatMap((address): News[] =>
          (readsOf.get(address) ?? []).map((data) => ({ event: 'read', subject: `${address} ${data.chain}`, data })),
        ),
        ...(listener.isOperator ? [{ event: 'jobs', subject: '', data: { queues } } as const] : []),
      ])
    }
  }

  /** A slow database is not asked more often than it answers. */
  function lookOnce(): Promise<void> {
    looking ??= look()
      .catch((err: unknown) =>
        warn('live', { err }, 'live updates for the portal could not be read; the service tries again'),
      )
      .finally(() => {
        looking = undefined
      })
    return looking
  }

  return {
    lookOnce,
    listen({ accountId, isOperator }: { accountId: string; isOperator: boolean }, send: Send): () => void {
      const listener = { accountId, isOperator, seen: new Map<string, string>(), isNew: true, send }
      listeners.add(listener)
      timer ??= setInterval(() => void lookOnce(), EVERY_MS).unref()
      // Work that ended before the first look is not sent, so look at once.
      void Promise.resolve(looking).then(lookOnce)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

function tell(listener: Listener, news: readonly News[]): void {
  for (const one of news) {
    const { event, subject, data } = one
    const [key, text] = [`${event} ${subject}`, JSON.stringify(data)]
    if (listener.seen.get(key) === text) continue
    listener.seen.set(key, text)
    if (!(listener.isNew && hasEnded(one))) listener.send(event, data as never)
  }
  listener.isNew = false
}

const hasEnded = (news: News): boolean =>
  news.event === 'read' || (news.event === 'sync' && news.data.sync.state !== 'running')
