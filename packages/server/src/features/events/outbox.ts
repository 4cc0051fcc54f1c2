import type { EventData, EventKind } from '@coffer/contract'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'

/** How long after its last stream an account still counts as one that listens, so that it can resume. */
const STREAM_DAYS = 30

/** What happened. `subject`: events of one subject are told in order. `data`: as it is sent, amounts as texts. */
type Told<K extends EventKind> = { subject: string; data: EventData<K> }

export const subjectOf = (wallet: Address): string => `wallet ${wallet}`

const listens = (kind: EventKind) => sql`
  (exists (select from webhook where webhook.account_id = account.id and enabled and ${kind} = any (kinds))
    or exists (select from event_stream where event_stream.account_id = account.id
      and heard_at > coffer_now() - make_interval(days => ${STREAM_DAYS})))`

/** Tells those of the accounts that listen, in the transaction of what happened. */
export async function tellAccounts<K extends EventKind>(
  trx: Kysely<Tables>,
  kind: K,
  accounts: readonly bigint[],
  events: readonly Told<K>[],
): Promise<void> {
  if (events.length === 0 || accounts.length === 0) return
  await insert(trx, kind, sql`select unnest(${accounts}::bigint[])`, events)
}

/** Tells the accounts that have saved the wallet or pay for its sync, as `tellAccounts` does. */
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
