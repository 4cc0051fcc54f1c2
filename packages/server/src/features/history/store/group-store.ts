import { sql } from 'kysely'
import type { IdleBlocks } from '../../../chains/histories.ts'
import type { Head, SeenBlock } from '../../../chains/seen-block.ts'
import { createCoverage } from '../../../db/coverage.ts'
import { rowTable } from '../../../db/row-table.ts'
import type { Db } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import { pagesOf } from '../../../lib/pages.ts'

/** Each search adds two. */
const MOST_SEEN_BLOCKS = 64
/** Each wallet takes a lock; PostgreSQL has room for some thousands. */
const LOCKED_AT_ONCE = 100

export function createGroupStore(db: Db) {
  const coverage = createCoverage(db, 'history')
  const nativeCoverage = createCoverage(db, 'native')

  /** Newest first. */
  async function findSeenBlocks(chain: string, wallets: readonly Address[]): Promise<Map<Address, SeenBlock[]>> {
    const { rows } = await sql<SeenBlock & { wallet: Address }>`
      select wallet, block, hash from known_block where chain = ${chain} and wallet = any (${wallets})
      order by wallet, block desc`.execute(db)
    return Map.groupBy(rows, ({ wallet }) => wallet)
  }

  async function addSeenBlocks(chain: string, wallets: readonly Address[], blocks: readonly SeenBlock[]) {
    await sql`
      with confirmed as (delete from history_gap
        where chain = ${chain} and wallet = any (${wallets}) and reason = 'replaced-chain')
      insert into known_block (wallet, chain, block, hash)
      select wallet, ${chain}, block, hash
      from unnest(${wallets}::text[]) as wallet, ${rowTable('seen', { block: 'bigint', hash: 'text' }, blocks)}
      order by wallet, block
      on conflict (wallet, chain, block) do update set hash = excluded.hash`.execute(db)
    await sql`
      delete from known_block using (
        select wallet, block, row_number() over (partition by wallet order by block desc) as place
        from known_block where chain = ${chain} and wallet = any (${wallets})) as seen
      where known_block.chain = ${chain} and known_block.wallet = seen.wallet and known_block.block = seen.block
        and place > ${MOST_SEEN_BLOCKS}`.execute(db)
  }

  /** Only a reorg moves it back. Locks out balance comparisons, which rely on the block. */
  async function setState(chain: string, wallets: readonly Address[], head: Head): Promise<void> {
    for (const some of pagesOf(wallets, LOCKED_AT_ONCE)) {
      await db.transaction().execute(async (trx) => {
        await coverage.lockAll(trx, chain, some)
        await sql`
          insert into history_state (wallet, chain, block, block_time)
          select wallet, ${chain}, ${head.number}, ${new Date(head.timestamp * 1000)} from unnest(${some}::text[]) as wallet
          order by wallet
          on conflict (wallet, chain) do update set block = excluded.block, block_time = excluded.block_time
            where history_state.block < excluded.block`.execute(trx)
      })
    }
  }

  /** Returns skipped wallets: their transactions in these blocks must be removed first. */
  async function saveIdle(chain: string, idle: ReadonlyMap<Address, IdleBlocks>): Promise<Address[]> {
    const others: Address[] = []
    for (const some of pagesOf([...idle.keys()], LOCKED_AT_ONCE)) {
      await db.transaction().execute(async (trx) => {
        await coverage.lockAll(trx, chain, some)
        const stored = await findStored(trx, chain, idle, some)
        const rest = some.filter((wallet) => !stored.has(wallet))
        const of = (which: keyof IdleBlocks) =>
          new Map(rest.map((wallet): [Address, readonly BlockRange[]] => [wallet, idle.get(wallet)?.[which] ?? []]))
        await nativeCoverage.extendAll(trx, chain, of('native'))
        await coverage.extendAll(trx, chain, of('ranges'))
        others.push(...stored)
      })
    }
    return others
  }

  return { findCoverages: coverage.findAll, findSeenBlocks, addSeenBlocks, setState, saveIdle }
}

async function findStored(trx: Db, chain: string, idle: ReadonlyMap<Address, IdleBlocks>, wallets: readonly Address[]) {
  const rows = wallets.flatMap((wallet) => (idle.get(wallet)?.ranges ?? []).map((range) => ({ wallet, ...range })))
  const { rows: stored } = await sql<{ wallet: Address }>`
    select distinct searched.wallet
    from ${rowTable('searched', { wallet: 'text', fromBlock: 'bigint', toBlock: 'bigint' }, rows)}
    where exists (select from history_transaction as stored
      where stored.wallet = searched.wallet and stored.chain = ${chain}
        and stored.block between "fromBlock" and "toBlock")`.execute(trx)
  return new Set(stored.map(({ wallet }) => wallet))
}
