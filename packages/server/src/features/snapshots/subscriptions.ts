import { SNAPSHOT_YEAR_CREDITS } from '@coffer/contract'
import { type RawBuilder, sql } from 'kysely'
import { rowTable } from '../../db/row-table.ts'
import type { Db, Trx } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { followAgain } from '../history/store/followed-wallets.ts'
import { isPassing } from './day-states.ts'
import { askSnapshots, type NightsContext } from './nights.ts'

/** `description` absent: unchanged. */
type Wanted = { address: Address; description?: string | null | undefined }

// Under the account's lock other calls wait: the number of statements must not depend on the addresses.

/** A running subscription costs nothing. */
export async function quoteEach(db: Db, accountId: string, addresses: readonly Address[]) {
  const standings = await findStandings(db, accountId, addresses)
  return [...standings].map(([address, standing]) => ({
    address,
    credits: standing === 'running' ? 0 : SNAPSHOT_YEAR_CREDITS,
  }))
}

export async function priceOf(trx: Trx, accountId: string, wanted: readonly Wanted[]): Promise<number> {
  const each = await quoteEach(trx, accountId, addressesOf(wanted))
  return each.reduce((total, { credits }) => total + credits, 0)
}

/** Call `beginFirst` after the transaction. */
export async function subscribe(context: NightsContext, trx: Trx, accountId: string, wanted: readonly Wanted[]) {
  const addresses = addressesOf(wanted)
  const standings = await findStandings(trx, accountId, addresses)
  const those = (standing: Standing) => addresses.filter((address) => standings.get(address) === standing)
  const begun = those('none').map((address) => ({ address, isPassing: isPassing(context, address) }))
  await sql`
    update snapshot_subscription set expires_at = ${yearAfter(sql`expires_at`)}
    where account_id = ${BigInt(accountId)} and address = any(${those('ending')}) and expires_at > ${now}`.execute(trx)
  await insertSubscriptions(trx, accountId, begun)
  await describeSubscriptions(trx, accountId, wanted)
  const running = await selectRunning(trx, accountId, addresses)
  const answer = addresses.map((address) => {
    const subscription = running.get(address)
    if (!subscription) throw new Error('a subscription that was just written is not there')
    return {
      address,
      description: subscription.description,
      subscribedAt: subscription.subscribedAt.toISOString(),
      expiresAt: subscription.expiresAt.toISOString(),
      credits: standings.get(address) === 'running' ? 0 : SNAPSHOT_YEAR_CREDITS,
    }
  })
  const firsts = answer
    .filter(({ address }) => standings.get(address) === 'none')
    .map(({ address, subscribedAt }) => ({ accountId, address, date: subscribedAt.slice(0, 10) }))
  await askSnapshots(context, firsts, trx)
  return answer
}

const addressesOf = (wanted: readonly Wanted[]) => wanted.map(({ address }) => address)

/** `none`: also ended. `ending`: in the last 30 days. */
type Standing = 'none' | 'ending' | 'running'

type Subscription = { address: Address; description: string | null; subscribedAt: Date; expiresAt: Date }

const RENEWAL_DAYS = 30

/** With the precision of the API. */
const now = sql`date_trunc('milliseconds', coffer_now())`

async function findStandings(db: Db, accountId: string, addresses: readonly Address[]) {
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
  db: Db,
  accountId: string,
  begun: readonly { address: Address; isPassing: boolean }[],
): Promise<void> {
  await sql`
    insert into snapshot_subscription (account_id, address, is_passing, subscribed_at, expires_at, next_date)
    select ${BigInt(accountId)}, address, "isPassing", ${now}, ${yearAfter(now)}, (${now} at time zone 'UTC')::date
    from ${rowTable('begun', { address: 'text', isPassing: 'boolean' }, begun)}`.execute(db)
  const addresses = begun.map(({ address }) => address)
  await followAgain(db, addresses)
}

/** PostgreSQL ends a year that began on 29 February on the 28th. */
function yearAfter(moment: RawBuilder<unknown>) {
  return sql`((${moment} at time zone 'UTC') + interval '1 year') at time zone 'UTC'`
}

async function describeSubscriptions(db: Db, accountId: string, wanted: readonly Wanted[]): Promise<void> {
  const rows = wanted.flatMap(({ address, description }) =>
    description === undefined ? [] : [{ address, description }],
  )
  await sql`
    update snapshot_subscription as subscription set description = described.description
    from ${rowTable('described', { address: 'text', description: 'text' }, rows)}
    where account_id = ${BigInt(accountId)} and subscription.address = described.address
      and expires_at > ${now}`.execute(db)
}

async function selectRunning(db: Db, accountId: string, addresses: readonly Address[]) {
  const { rows } = await sql<Subscription>`
    select address, description, subscribed_at as "subscribedAt", expires_at as "expiresAt" from snapshot_subscription
    where account_id = ${BigInt(accountId)} and address = any(${addresses}) and expires_at > ${now}`.execute(db)
  return new Map(rows.map((row) => [row.address, row]))
}
