import { type Selectable, sql } from 'kysely'
import type { Collected } from '../chains/collected.ts'
import { MOST_AHEAD } from '../chains/seen-block.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Address } from '../domain/address.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { WalletRead } from '../domain/wallet-read.ts'
import { createTickBatch } from '../lib/tick-batch.ts'
import { decodeBody, encodeBody, type StoredBody } from './wallet-read-json.ts'
import type { StoredRead, WalletSearch } from './wallet-search.ts'

export type WalletReadStore = ReturnType<typeof createWalletReadStore>

type LastRead = StoredRead & Omit<Collected, 'read'>

export function createWalletReadStore(db: Db) {
  async function find(wallet: Address, chains: readonly string[]): Promise<StoredRead[]> {
    const own = db.selectFrom('wallet_read').selectAll().where('wallet', '=', wallet)
    return (await own.where('chain', 'in', chains).execute()).map(toStored)
  }

  const findLast = createTickBatch(async (asked: readonly WalletOnChain[]): Promise<(LastRead | undefined)[]> => {
    const [wallets, chains] = [asked.map(({ wallet }) => wallet), asked.map(({ chain }) => chain)]
    const { rows } = await sql<Selectable<Tables['wallet_read']>>`
      select * from wallet_read
      where wallet = any (${wallets}) and (wallet, chain) in (select * from unnest(${wallets}::text[], ${chains}::text[]))`.execute(
      db,
    )
    const byName = new Map(rows.map((row) => [`${row.chain} ${row.wallet}`, row]))
    return asked.map(({ wallet, chain }) => {
      const row = byName.get(`${chain} ${wallet}`)
      return row && { ...toStored(row), plan: row.plan as unknown[], hash: row.block_hash }
    })
  })

  const findOne = (wallet: Address, chain: string): Promise<LastRead | undefined> => findLast({ wallet, chain })

  /**
   * Keeps a newer stored read. A stored block that is higher but earlier, or in the future, is of another chain. A
   * complete read yields to one with missing parts only if that began after its end. `begunAt`: ms.
   */
  async function save(
    read: WalletRead,
    plan: Collected['plan'],
    {
      begunAt = read.readAt,
      hash = null,
      overAnything = false,
    }: { begunAt?: number; hash?: string | null; overAnything?: boolean } = {},
  ): Promise<boolean> {
    const { numAffectedRows } = await sql`
      insert into wallet_read (wallet, chain, block, block_hash, block_time, begun_at, read_at, body, plan)
      values (${read.wallet}, ${read.chain}, ${read.block.toString()}, ${hash}, to_timestamp(${read.blockTime}),
        to_timestamp(${begunAt}::float8 / 1000), to_timestamp(${read.readAt}::float8 / 1000),
        ${encodeBody(read)}::jsonb, ${JSON.stringify(plan)}::jsonb)
      on conflict (wallet, chain) do update
        set block = excluded.block, block_hash = excluded.block_hash, block_time = excluded.block_time,
          begun_at = excluded.begun_at, read_at = excluded.read_at, body = excluded.body, plan = excluded.plan
        where wallet_read.block < excluded.block
          or ${overAnything}
          or wallet_read.block_time < excluded.block_time
          or wallet_read.block_time > ${new Date(read.readAt + MOST_AHEAD * 1_000)}
          or wallet_read.block = excluded.block and case
            when wallet_read.block_hash <> excluded.block_hash then wallet_read.begun_at <= excluded.begun_at
            when excluded.body -> 'gaps' = '[]' and wallet_read.body -> 'gaps' <> '[]' then true
            when excluded.body -> 'gaps' <> '[]' and wallet_read.body -> 'gaps' = '[]'
              then wallet_read.read_at <= excluded.begun_at
            else wallet_read.begun_at <= excluded.begun_at
          end`.execute(db)
    return numAffectedRows !== 0n
  }

  async function noteSearch(
    wallet: Address,
    chain: string,
    { wholeAt, refused, unasked }: WalletSearch,
  ): Promise<void> {
    await db
      .updateTable('wallet_read')
      .set({
        searched_at: wholeAt === null ? null : new Date(wholeAt),
        search_refused: refused,
        search_unasked: unasked,
      })
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .execute()
  }

  /** Unix milliseconds, oldest over the chains. */
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

  return { find, findOne, save, noteSearch, lastReadAt }
}

const toStored = (row: Selectable<Tables['wallet_read']>): StoredRead => ({
  read: {
    wallet: row.wallet,
    chain: row.chain,
    block: BigInt(row.block),
    blockTime: row.block_time.getTime() / 1000,
    readAt: row.read_at.getTime(),
    ...decodeBody(row.body as StoredBody),
  },
  search: {
    wholeAt: row.searched_at?.getTime() ?? null,
    refused: row.search_refused,
    ...(row.search_unasked && { unasked: true }),
  },
})
