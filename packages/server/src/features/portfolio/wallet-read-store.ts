import { type Kysely, sql } from 'kysely'
import type { PlannedCall } from '../../chains/evm/evm-reader.ts'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { decodeBody, encodeBody, type StoredBody } from './wallet-read-json.ts'

export type WalletReadStore = ReturnType<typeof createWalletReadStore>

/** The last good read of each wallet and chain. */
export function createWalletReadStore(db: Kysely<Tables>) {
  const selected = () =>
    db.selectFrom('wallet_read').select(['wallet', 'chain', 'block', 'block_time', 'read_at', 'body', 'plan'])
  type Row = Awaited<ReturnType<ReturnType<typeof selected>['executeTakeFirstOrThrow']>>

  async function find(wallet: Address, chains: readonly string[]): Promise<WalletRead[]> {
    const rows = await selected().where('wallet', '=', wallet).where('chain', 'in', chains).execute()
    return rows.map(toRead)
  }

  async function findOne(
    wallet: Address,
    chain: string,
  ): Promise<{ read: WalletRead; plan: PlannedCall[] } | undefined> {
    const row = await selected().where('wallet', '=', wallet).where('chain', '=', chain).executeTakeFirst()
    return row && { read: toRead(row), plan: row.plan as PlannedCall[] }
  }

  /** Never goes back to an older block: a node that lags behind what is stored changes nothing, and the answer is false. */
  async function save(read: WalletRead, plan: readonly PlannedCall[]): Promise<boolean> {
    const { numAffectedRows } = await sql`
      insert into wallet_read (wallet, chain, block, block_time, read_at, body, plan)
      values (${read.wallet}, ${read.chain}, ${read.block.toString()}, to_timestamp(${read.blockTime}),
        to_timestamp(${read.readAt}::float8 / 1000), ${encodeBody(read)}::jsonb, ${JSON.stringify(plan)}::jsonb)
      on conflict (wallet, chain) do update
        set block = excluded.block, block_time = excluded.block_time, read_at = excluded.read_at,
          body = excluded.body, plan = excluded.plan
        where wallet_read.block <= excluded.block`.execute(db)
    return numAffectedRows !== 0n
  }

  /** Milliseconds since the epoch; over the chains the oldest. Wallets never read are absent. */
  async function lastReadAt(wallets: readonly Address[], chains: readonly string[]): Promise<Map<Address, number>> {
    const rows = await db
      .selectFrom('wallet_read')
      .select(['wallet', ({ fn }) => fn.min('read_at').as('read_at')])
      .where('wallet', 'in', wallets)
      .where('chain', 'in', chains)
      .groupBy('wallet')
      .execute()
    return new Map(rows.map((row) => [row.wallet, row.read_at.getTime()]))
  }

  function toRead(row: Row): WalletRead {
    return {
      wallet: row.wallet,
      chain: row.chain,
      block: BigInt(row.block),
      blockTime: row.block_time.getTime() / 1000,
      readAt: row.read_at.getTime(),
      ...decodeBody(row.body as StoredBody),
    }
  }

  return { find, findOne, save, lastReadAt }
}
