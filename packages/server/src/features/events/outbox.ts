import type { EventData, EventKind } from '@coffer/contract'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'

/** An account can resume its stream for this long. */
const STREAM_DAYS = 30

/** In order per `subject`. `data` is the JSON sent, amounts as strings. */
type Told<K extends EventKind> = { subject: string; data: EventData<K> }

export const subjectOf = (wallet: Address): string => `wallet ${wallet}`

const listens = (kind: EventKind) => sql`
  (exists (select from webhook where webhook.account_id = account.id and enabled and ${kind} = any (kinds))
    or exists (select from event_stream where event_stream.account_id = account.id
      and heard_at > coffer_now() - make_interval(days => ${STREAM_DAYS})))`

/** Runs in the transaction of the change. */
export async function tellAccounts<K extends EventKind>(
  trx: Kysely<Tables>,
  kind: K,
  accounts: readonly bigint[],
  events: readonly Told<K>[],
): Promise<void> {
  if (events.length === 0 || accounts.length === 0) return
  await insert(trx, kind, sql`select unnest(${accounts}::bigint[])`, events)
}

/** Followers have saved the wallet or pay for its sync. */
export async function tellFollowers<K extends EventKind>(
  trx: Kysely<Tables>,
  kind: K,
  wallet: Address,
  events: readonly Omit<Told<K>, 'subject'>[],
): Promise<void> {
  if (events.length === 0) return
  const followers = sql`
    select account_id from address_book_entry where address = ${wallet}
    union select account_id from history_sync where wallet = ${wallet}`
  const subject = subjectOf(wallet)
  await insert(
    trx,
    kind,
    followers,
    events.map(({ data }) => ({ subject, data })),
  )
}

async function insert(
  trx: Kysely<Tables>,
  kind: EventKind,
  accounts: ReturnType<typeof sql>,
  events: readonly { subject: string; data: object }[],
): Promise<void> {
  await sql`
    insert into event_outbox (account_id, kind, subject, data)
    select account.id, ${kind}, told.subject, told.data::jsonb
    from account cross join unnest(${events.map(({ subject }) => subject)}::text[],
      ${events.map(({ data }) => JSON.stringify(data))}::text[]) with ordinality as told (subject, data, place)
    where account.id in (${accounts}) and ${listens(kind)}
    order by told.place, account.id`.execute(trx)
}
