import type { LiveEvents, QueueView } from '@coffer/contract/portal'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { listQueueStates } from '../../jobs/queue-states.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSampledWarn } from '../../lib/sampled-log.ts'
import type { Ports } from '../module.ts'
import { isSessionAlive } from '../portal-users/sessions.ts'
import type { FindSyncs } from '../portfolio/sync-status.ts'

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

const EVERY_MS = 1_000

type Send = <E extends keyof LiveEvents>(event: E, data: LiveEvents[E]) => void

type Listener = { accountId: string; isOperator: boolean; seen: Map<string, string>; isNew: boolean; send: Send }

type News = { [E in keyof LiveEvents]: { event: E; subject: string; data: LiveEvents[E] } }[keyof LiveEvents]

/**
 * Queries the database once a second for all listeners together, whatever process did the work, and never without a
 * listener.
 */
function createLiveNews({
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
        warn('live', { err }, 'what goes on could not be read for the portal; it is tried again'),
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

type WalletRow = { account_id: bigint; address: Address }

async function findWallets(
  db: Kysely<Tables>,
  accountIds: readonly string[],
): Promise<Map<string, readonly Address[]>> {
  const { rows } = await sql<WalletRow>`
    select account_id, address from address_book_entry where account_id = any(${accountIds}::bigint[])
    union select account_id, wallet from history_sync where account_id = any(${accountIds}::bigint[])
    order by account_id, address`.execute(db)
  const byAccount = Map.groupBy(rows, ({ account_id }) => String(account_id))
  return new Map([...byAccount].map(([id, own]) => [id, own.map(({ address }) => address)]))
}

async function findReads(
  db: Kysely<Tables>,
  wallets: readonly Address[],
): Promise<{ address: Address; chain: string; block: string; readAt: string }[]> {
  const rows = await db
    .selectFrom('wallet_read')
    .select(['wallet', 'chain', 'block', 'read_at'])
    .where(sql<boolean>`wallet = any(${wallets})`)
    .orderBy('wallet')
    .orderBy('chain')
    .execute()
  return rows.map(({ wallet, chain, block, read_at }) => ({
    address: wallet,
    chain,
    block,
    readAt: read_at.toISOString(),
  }))
}
