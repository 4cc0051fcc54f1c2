import { sql } from 'kysely'
import { inParts } from '../../db/in-parts.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { compareText } from '../../lib/compare-text.ts'
import { decodeBody, encodeBody, type StoredBody } from '../../wallets/wallet-read-json.ts'
import { reportToAccounts, subjectOf } from '../events/outbox.ts'

/** `date`: `YYYY-MM-DD`, UTC. */
export type WalletDate = { address: Address; date: string }

/** `first`: for one account that subscribed on the day. Others share the day's first block. */
export type DueSnapshot = WalletDate & { first: { accountId: string; subscribedAt: string } | null }

export type GapReason = 'no-state' | 'unreadable'

export async function shareExisting(db: Db, day: WalletDate, accounts: readonly bigint[]) {
  return db.transaction().execute((trx) => share(trx, { ...day, owner: null }, accounts))
}

/** Existing snapshots stay unchanged. */
export async function saveSnapshot(
  db: Db,
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
export async function saveGap(
  db: Db,
  { address, date }: DueSnapshot,
  { chain, reason }: { chain: string; reason: GapReason },
  accounts: readonly bigint[],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ accountId: bigint }>`
      insert into snapshot_gap (account_id, address, date, chain, reason)
      select account_id, ${address}, ${date}::date, ${chain}, ${reason} from unnest(${accounts}::bigint[]) as account_id
      on conflict do nothing returning account_id as "accountId"`.execute(trx)
    const reported = { subject: subjectOf(address), data: { address, date, chain, reason } }
    await reportToAccounts(trx, 'snapshot.missed', rows.map(idOf), [reported])
  })
}

export async function findReads(db: Db, accountId: string, { address, date }: WalletDate) {
  const given = await db
    .selectFrom('account_snapshot')
    .select('snapshot_id')
    .where((eb) => eb.and({ account_id: BigInt(accountId), address, date }))
    .executeTakeFirst()
  if (!given) return undefined
  const { reads } = await db
    .selectFrom('wallet_snapshot')
    .select('reads')
    .where((eb) => eb.and({ address, id: given.snapshot_id }))
    .executeTakeFirstOrThrow()
  return decodeReads(address, reads)
}

async function share(
  db: Db,
  { address, date, owner }: WalletDate & { owner: bigint | null },
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
  await reportToAccounts(db, 'snapshot.taken', given.map(idOf), [
    { subject: subjectOf(address), data: { address, date } },
  ])
  return true
}

const idOf = ({ accountId }: { accountId: bigint }) => accountId

/** `timestamp` in Unix seconds. */
type EarlyKey = { wallet: Address; timestamp: number; chain: string }

type EarlyRead = { hash: string; read: WalletRead }

/** Longer than any chain takes to finalize a block. */
const EARLY_KEPT_SECONDS = 3 * 86_400

export async function findEarlyRead(db: Db, { wallet, timestamp, chain }: EarlyKey): Promise<EarlyRead | undefined> {
  const row = await db
    .selectFrom('snapshot_early_read')
    .select(['block_hash', 'read'])
    .where((eb) => eb.and({ wallet, at: BigInt(timestamp), chain }))
    .executeTakeFirst()
  const [read] = row ? decodeReads(wallet, row.read) : []
  return row && read && { hash: row.block_hash, read }
}

export async function saveEarlyRead(db: Db, { wallet, timestamp, chain }: EarlyKey, { hash, read }: EarlyRead) {
  await sql`
    insert into snapshot_early_read (wallet, at, chain, block_hash, read)
    values (${wallet}, ${timestamp}, ${chain}, ${hash}, ${encodeReads([read])}::jsonb)
    on conflict (wallet, at, chain) do update set block_hash = excluded.block_hash, read = excluded.read`.execute(db)
}

export async function forgetEarlyReads(db: Db): Promise<void> {
  const isOld = sql`at < extract(epoch from coffer_now())::bigint - ${EARLY_KEPT_SECONDS}::int`
  await inParts(async (limit) => {
    const { rows } = await sql<{ wallet: Address }>`
      select distinct wallet from (select wallet from snapshot_early_read where ${isOld} limit ${limit}) as old`.execute(
      db,
    )
    const wallets = rows.map(({ wallet }) => wallet)
    return sql`delete from snapshot_early_read where wallet = any (${wallets}) and ${isOld}`.execute(db)
  })
}

type StoredRead = { chain: string; block: string; blockTime: number; body: StoredBody }

/** Deterministic for the same blocks. */
function encodeReads(reads: readonly WalletRead[]): string {
  const stored = reads
    .toSorted((a, b) => compareText(a.chain, b.chain))
    .map(({ chain, block, blockTime, holdings, positions, tokens, prices, gaps }) => {
      const body = encodeBody({
        holdings: holdings.toSorted((a, b) => compareText(a.token, b.token)),
        positions,
        tokens: tokens.toSorted((a, b) => compareText(a.address, b.address)),
        prices: prices.toSorted((a, b) => compareText(a.token, b.token)),
        gaps,
      })
      return `{"chain":${JSON.stringify(chain)},"block":"${block}","blockTime":${blockTime},"body":${body}}`
    })
  return `[${stored.join(',')}]`
}

export function decodeReads(wallet: Address, reads: unknown): WalletRead[] {
  return (reads as StoredRead[]).map(({ chain, block, blockTime, body }) => ({
    wallet,
    chain,
    block: BigInt(block),
    blockTime,
    readAt: blockTime * 1_000,
    ...decodeBody(body),
  }))
}
