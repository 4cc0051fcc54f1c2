import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { decodeReads, encodeReads } from './snapshot-json.ts'

/** `timestamp` in Unix seconds. */
type Key = { wallet: Address; timestamp: number; chain: string }

type EarlyRead = { hash: string; read: WalletRead }

/** Longer than any chain takes to finalize a block. */
const KEPT_SECONDS = 3 * 86_400

export type EarlyReads = ReturnType<typeof createEarlyReads>

export function createEarlyReads(db: Kysely<Tables>) {
  async function find({ wallet, timestamp, chain }: Key): Promise<EarlyRead | undefined> {
    const row = await db
      .selectFrom('snapshot_early_read')
      .select(['block_hash', 'read'])
      .where((eb) => eb.and({ wallet, at: BigInt(timestamp), chain }))
      .executeTakeFirst()
    const [read] = row ? decodeReads(wallet, row.read) : []
    return row && read && { hash: row.block_hash, read }
  }

  async function save({ wallet, timestamp, chain }: Key, { hash, read }: EarlyRead): Promise<void> {
    await sql`
      insert into snapshot_early_read (wallet, at, chain, block_hash, read)
      values (${wallet}, ${timestamp}, ${chain}, ${hash}, ${encodeReads([read])}::jsonb)
      on conflict (wallet, at, chain) do update set block_hash = excluded.block_hash, read = excluded.read`.execute(db)
  }

  async function forgetOld(): Promise<void> {
    await sql`
      delete from snapshot_early_read where at < extract(epoch from coffer_now()) - ${KEPT_SECONDS}::int`.execute(db)
  }

  return { find, save, forgetOld }
}
