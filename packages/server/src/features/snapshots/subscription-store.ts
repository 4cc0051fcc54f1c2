import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'

/** `none`: also ended. `ending`: in the last 30 days. */
export type Standing = 'none' | 'ending' | 'running'

export type Subscription = { address: Address; description: string | null; subscribedAt: Date; expiresAt: Date }

const RENEWAL_DAYS = 30

/** With the precision of the API. */
const now = sql`date_trunc('milliseconds', coffer_now())`

export async function findStandings(
  db: Kysely<Tables>,
  accountId: string,
  addresses: readonly Address[],
): Promise<Map<Address, Standing>> {
  const { rows } = await sql<{ address: Address; standing: Standing }>`
    select distinct on (address) address,
      case when expires_at <= ${now} then 'none'
        when expires_at <= ${now} + make_interval(days => ${RENEWAL_DAYS}) then 'ending'
        else 'running' end as standing
    from snapshot_subscription
    where account_id = ${BigInt(accountId)} and address = any(${addresses})
    order by address, subscribed_at desc`.execute(db)
  const known = new Map(rows.map((row) => [row.address, row.standing]))
  return new Map(addresses.map((address) => [address, known.get(address) ?? 'none']))
}

/** For one calendar year (UTC). `isPassing`: nodes serve only the present state. */
export async function insertSubscriptions(
  db: Kysely<Tables>,
  accountId: string,
  begun: readonly { address: Address; isPassing: boolean }[],
): Promise<void> {
  await sql`
    insert into snapshot_subscription (account_id, address, is_passing, subscribed_at, expires_at, next_date)
    select ${BigInt(accountId)}, address, is_passing, ${now}, ${yearAfter(now)}, (${now} at time zone 'UTC')::date
    from unnest(
      ${begun.map(({ address }) => address)}::text[], ${begun.map(({ isPassing }) => isPassing)}::boolean[]
    ) as begun (address, is_passing)`.execute(db)
}

export async function extendSubscriptions(
  db: Kysely<Tables>,
  accountId: string,
  addresses: readonly Address[],
): Promise<void> {
  await sql`
    update snapshot_subscription set expires_at = ${yearAfter(sql`expires_at`)}
    where account_id = ${BigInt(accountId)} and address = any(${addresses}) and expires_at > ${now}`.execute(db)
}

/** PostgreSQL ends a year that began on 29 February on the 28th. */
function yearAfter(moment: ReturnType<typeof sql>) {
  return sql`((${moment} at time zone 'UTC') + interval '1 year') at time zone 'UTC'`
}

export async function describeSubscriptions(
  db: Kysely<Tables>,
  accountId: string,
  described: readonly Pick<Subscription, 'address' | 'description'>[],
): Promise<void> {
  await sql`
    update snapshot_subscription as subscription set description = described.description
    from unnest(
      ${described.map(({ address }) => address)}::text[], ${described.map(({ description }) => description)}::text[]
    ) as described (address, description)
    where account_id = ${BigInt(accountId)} and subscription.address = described.address
      and expires_at > ${now}`.execute(db)
}

export async function selectRunning(
  db: Kysely<Tables>,
  accountId: string,
  addresses: readonly Address[],
): Promise<Map<Address, Subscription>> {
  const { rows } = await sql<Subscription>`
    select address, description, subscribed_at as "subscribedAt", expires_at as "expiresAt" from snapshot_subscription
    where account_id = ${BigInt(accountId)} and address = any(${addresses}) and expires_at > ${now}`.execute(db)
  return new Map(rows.map((row) => [row.address, row]))
}
