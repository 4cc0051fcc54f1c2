import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { subjectOf, tellAccounts } from '../events/outbox.ts'
import { decodeReads, encodeReads } from './snapshot-json.ts'

/** `first`: for one account that subscribed on the day. Others share the day's first block. */
export type DueSnapshot = {
  address: Address
  /** `YYYY-MM-DD`, UTC. */
  date: string
  first: { accountId: string; subscribedAt: string } | null
}

export type GapReason = 'no-state' | 'unreadable'

export type SnapshotStore = ReturnType<typeof createSnapshotStore>

export function createSnapshotStore(db: Kysely<Tables>) {
  async function shareExisting(day: Pick<DueSnapshot, 'address' | 'date'>, accounts: readonly bigint[]) {
    return db.transaction().execute((trx) => share(trx, { ...day, owner: null }, accounts))
  }

  /** Existing snapshots stay unchanged. */
  async function save(
    { address, date, first }: DueSnapshot,
    reads: readonly WalletRead[],
    accounts: readonly bigint[],
  ): Promise<void> {
    const owner = first && BigInt(first.accountId)
    await db.transaction().execute(async (trx) => {
      await sql`
        insert into wallet_snapshot (address, date, account_id, reads)
        values (${address}, ${date}::date, ${owner}, ${encodeReads(reads)}::jsonb)
        on conflict do nothing`.execute(trx)
      await share(trx, { address, date, owner }, accounts)
    })
  }

  /** A later snapshot replaces the gap. */
  async function saveGap(
    { address, date }: DueSnapshot,
    { chain, reason }: { chain: string; reason: GapReason },
    accounts: readonly bigint[],
  ): Promise<void> {
    await db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ accountId: bigint }>`
        insert into snapshot_gap (account_id, address, date, chain, reason)
        select account_id, ${address}, ${date}::date, ${chain}, ${reason} from unnest(${accounts}::bigint[]) as account_id
        on conflict do nothing returning account_id as "accountId"`.execute(trx)
      const told = { subject: subjectOf(address), data: { address, date, chain, reason } }
      await tellAccounts(trx, 'snapshot.missed', rows.map(idOf), [told])
    })
  }

  async function find(
    accountId: string,
    { address, date }: Pick<DueSnapshot, 'address' | 'date'>,
  ): Promise<WalletRead[] | undefined> {
    const row = await db
      .selectFrom('account_snapshot')
      .innerJoin('wallet_snapshot', 'wallet_snapshot.id', 'account_snapshot.snapshot_id')
      .select('reads')
      .where('account_snapshot.account_id', '=', BigInt(accountId))
      .where('account_snapshot.address', '=', address)
      .where('account_snapshot.date', '=', date)
      .executeTakeFirst()
    return row && decodeReads(address, row.reads)
  }

  return { shareExisting, save, saveGap, find }
}

async function share(
  db: Kysely<Tables>,
  { address, date, owner }: { address: Address; date: string; owner: bigint | null },
  accounts: readonly bigint[],
): Promise<boolean> {
  const { rows } = await sql<{ id: bigint }>`
    select id from wallet_snapshot
    where address = ${address} and date = ${date}::date and account_id is not distinct from ${owner}::bigint`.execute(
    db,
  )
  const [snapshot] = rows
  if (!snapshot) return false
  const { rows: given } = await sql<{ accountId: bigint }>`
    with given as (
      insert into account_snapshot (account_id, address, date, snapshot_id)
      select account_id, ${address}, ${date}::date, ${snapshot.id} from unnest(${accounts}::bigint[]) as account_id
      on conflict do nothing returning account_id),
    filled as (
      delete from snapshot_gap
      where address = ${address} and date = ${date}::date and account_id in (select account_id from given))
    select account_id as "accountId" from given`.execute(db)
  await tellAccounts(db, 'snapshot.taken', given.map(idOf), [{ subject: subjectOf(address), data: { address, date } }])
  return true
}

const idOf = ({ accountId }: { accountId: bigint }) => accountId
