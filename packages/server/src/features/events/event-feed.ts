import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { Caller } from '../../http/gates.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { createPolling } from '../../lib/polling.ts'
import { createSampledWarn } from '../../lib/sampled-log.ts'
import { isKeyAlive } from '../keys/keys.ts'
import { eventIdOf, messageIdOf, messageOf } from './message.ts'

/** In looks: an hour. */
const NOTED_EVERY = 3_600

type Send = (event: string, data: unknown, id?: string) => void
/** `after` undefined: only new events are wanted. */
type Listener = { accountId: string; after: bigint | undefined; isPlaced: boolean; send: Send }

/** Streams are resumable for 30 days. One query a second serves all listeners. */
export function openEvents({ database: { db }, logger }: { database: { db: Db }; logger: WarnLog }) {
  const warn = createSampledWarn(logger)
  let looks = 0
  const listen = createPolling<Listener>(
    (listeners) => {
      looks += 1
      return look(db, listeners, looks % NOTED_EVERY === 0)
    },
    (err) => warn('feed', { err }, 'events could not be read for streams; the service tries again'),
  )
  return {
    ownerOf: ({ keyId }: Caller) => keyId,
    isAlive: ({ keyId }: Caller) => isKeyAlive(db, keyId),
    listen({ accountId }: Caller, send: Send, lastId: string | undefined): () => void {
      const after = lastId === undefined ? undefined : eventIdOf(lastId)
      return listen({ accountId, after, isPlaced: false, send })
    },
  }
}

async function look(db: Db, listeners: ReadonlySet<Listener>, notesAll: boolean): Promise<void> {
  const all = [...listeners]
  await place(db, notesAll ? all : all.filter(({ isPlaced }) => !isPlaced))
  const places = all.map(({ accountId, after = 0n }) => ({ accountId, after }))
  const found = await findNext(db, places)
  for (const [index, listener] of all.entries()) {
    for (const event of found[index] ?? []) {
      if (!listeners.has(listener)) break
      listener.send(event.kind, messageOf(event), messageIdOf(event.id))
      listener.after = event.id
    }
  }
}

/** `ready` carries an ID from which a stream without events can resume. */
async function place(db: Db, noted: readonly Listener[]): Promise<void> {
  if (noted.length === 0) return
  // Events are written only for accounts that listen.
  const ordered = sql`select distinct unnest(${noted.map(({ accountId }) => accountId)}::bigint[]) order by 1`
  await sql`
    insert into event_stream (account_id, heard_at) select id, coffer_now() from (${ordered}) as listening (id)
    on conflict (account_id) do update set heard_at = excluded.heard_at`.execute(db)
  const { rows } = await sql<{ newest: bigint }>`select coalesce(max(id), 0) as newest from event`.execute(db)
  const newest = rows[0]?.newest ?? 0n
  for (const listener of noted.filter(({ isPlaced }) => !isPlaced)) {
    listener.after = listener.after === undefined || listener.after > newest ? newest : listener.after
    listener.isPlaced = true
    listener.send('ready', {}, messageIdOf(listener.after))
  }
}

const PAGE = 200

type FedEvent = { id: bigint; kind: string; at: Date; data: unknown }

/** In the order of `places`. */
async function findNext(db: Db, places: readonly { accountId: string; after: bigint }[]) {
  const { rows } = await sql<FedEvent & { place: bigint }>`
    select place, next.id, kind, at, data
    from unnest(${places.map(({ accountId }) => accountId)}::bigint[], ${places.map(({ after }) => after.toString())}::bigint[])
      with ordinality as listener (account_id, after, place)
      cross join lateral (
        select id, kind, at, data from event
        where event.account_id = listener.account_id and id > listener.after and webhook_id is null
        order by id limit ${PAGE}) as next
    order by place, next.id`.execute(db)
  const byPlace = Map.groupBy(rows, ({ place }) => Number(place))
  return places.map((_, index) => byPlace.get(index + 1) ?? [])
}
