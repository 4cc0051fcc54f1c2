import type { LiveEvents } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { listQueueStates } from '../../jobs/queue-states.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { createPolling } from '../../lib/polling.ts'
import { createSampledWarn } from '../../lib/sampled-log.ts'
import { isSessionAlive } from '../portal-users/sessions.ts'
import type { FindSyncs } from '../portfolio/portfolios.ts'

type Send = <E extends keyof LiveEvents>(event: E, data: LiveEvents[E]) => void

type Listener = { accountId: string; isOperator: boolean; seen: Map<string, string>; isNew: boolean; send: Send }

type News = { [E in keyof LiveEvents]: { event: E; subject: string; data: LiveEvents[E] } }[keyof LiveEvents]

type OwnPorts = { database: { db: Db }; history: { findProgress: FindSyncs }; logger: WarnLog }

export function openLive({ database: { db }, history: { findProgress: findSyncs }, logger }: OwnPorts) {
  const warn = createSampledWarn(logger)
  const listen = createPolling<Listener>(
    (listeners) => look({ db, findSyncs }, listeners),
    (err) => warn('live', { err }, 'live updates for the portal could not be read; the service tries again'),
  )
  return {
    ownerOf: ({ session }: PortalCaller) => session?.id,
    listen: ({ accountId, session }: PortalCaller, send: (event: string, data: unknown) => void) =>
      listen({ accountId, isOperator: session?.isOperator === true, seen: new Map(), isNew: true, send }),
    isAlive: async ({ accountId, session }: PortalCaller) =>
      session !== undefined && (await isSessionAlive(db, { sessionId: session.id, accountId })),
  }
}

async function look({ db, findSyncs }: { db: Db; findSyncs: FindSyncs }, listeners: ReadonlySet<Listener>) {
  const asking = [...listeners]
  const accounts = [...new Set(asking.map(({ accountId }) => accountId))]
  const wallets = await findWallets(db, accounts)
  const all = [...new Set([...wallets.values()].flat())]
  const [syncOf, reads] = all.length > 0 ? await Promise.all([findSyncs(all), findReads(db, all)]) : [undefined, []]
  const readsOf = Map.groupBy(reads, ({ address }) => address)
  const queues = asking.some(({ isOperator }) => isOperator) ? await listQueueStates(db) : []
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

async function findWallets(db: Db, accountIds: readonly string[]) {
  const { rows } = await sql<{ account_id: bigint; address: Address }>`
    select account_id, address from address_book_entry where account_id = any(${accountIds}::bigint[])
    union select account_id, wallet from history_sync where account_id = any(${accountIds}::bigint[])
    order by account_id, address`.execute(db)
  const byAccount = Map.groupBy(rows, ({ account_id }) => String(account_id))
  return new Map([...byAccount].map(([id, own]) => [id, own.map(({ address }) => address)]))
}

async function findReads(db: Db, wallets: readonly Address[]) {
  const rows = await db
    .selectFrom('wallet_read')
    .select(['wallet as address', 'chain', 'block', 'read_at as readAt'])
    .where(sql<boolean>`wallet = any(${wallets})`)
    .orderBy('wallet')
    .orderBy('chain')
    .execute()
  return rows.map(plainRow)
}
