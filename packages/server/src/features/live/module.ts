import { hash } from 'node:crypto'
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

/** `after`: last wallet of its last page. `isNew`: until its first page without another. `seen`: digests of news. */
type Listener = {
  accountId: string
  isOperator: boolean
  after: string
  seen: Map<string, string>
  isNew: boolean
  send: Send
}

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
      listen({ accountId, isOperator: session?.isOperator === true, after: '', seen: new Map(), isNew: true, send }),
    isAlive: async ({ accountId, session }: PortalCaller) =>
      session !== undefined && (await isSessionAlive(db, { sessionId: session.id, accountId })),
  }
}

/** For each listener, running syncs and the next page of its wallets. */
async function look({ db, findSyncs }: { db: Db; findSyncs: FindSyncs }, listeners: ReadonlySet<Listener>) {
  const asking = [...listeners]
  const [pages, running] = await Promise.all([
    Promise.all(asking.map((listener) => findPage(db, listener))),
    Promise.all(asking.map((listener) => findRunning(db, listener))),
  ])
  const all = [...new Set([...pages, ...running].flat())]
  const [syncOf, reads] = all.length > 0 ? await Promise.all([findSyncs(all), findReads(db, all)]) : [undefined, []]
  const readsOf = Map.groupBy(reads, ({ address }) => address)
  const queues = asking.some(({ isOperator }) => isOperator) ? await listQueueStates(db) : []
  for (const [index, listener] of asking.entries()) {
    if (!listeners.has(listener)) continue
    const page = pages[index] ?? []
    const own = [...new Set([...(running[index] ?? []), ...page])]
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
    listener.after = page.length < PAGE ? '' : (page.at(-1) ?? '')
    listener.isNew &&= listener.after !== ''
  }
}

function tell(listener: Listener, news: readonly News[]): void {
  for (const one of news) {
    const { event, subject, data } = one
    const key = `${event} ${subject}`
    const digest = hash('sha256', JSON.stringify(data), 'base64')
    const before = listener.seen.get(key)
    if (before === digest) continue
    listener.seen.set(key, digest)
    if (before === undefined && listener.isNew && hasEnded(one)) continue
    listener.send(event, data as never)
  }
}

const hasEnded = (news: News): boolean =>
  news.event === 'read' || (news.event === 'sync' && news.data.sync.state !== 'running')

/** Bounds a look; accounts with more wallets have several pages. */
const PAGE = 100

/** Saved wallets and those of own syncs. */
async function findPage(db: Db, { accountId, after }: Listener): Promise<Address[]> {
  const { rows } = await sql<{ address: Address }>`
    select address from (
      (select address from address_book_entry where account_id = ${accountId} and address > ${after}
        order by address limit ${PAGE})
      union
      (select wallet from history_sync where account_id = ${accountId} and wallet > ${after}
        order by wallet limit ${PAGE})
    ) as own order by address limit ${PAGE}`.execute(db)
  return rows.map(({ address }) => address)
}

async function findRunning(db: Db, { accountId }: Listener): Promise<Address[]> {
  const { rows } = await sql<{ wallet: Address }>`
    select wallet from history_sync where account_id = ${accountId} and state = 'running'
    order by wallet limit ${PAGE}`.execute(db)
  return rows.map(({ wallet }) => wallet)
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
