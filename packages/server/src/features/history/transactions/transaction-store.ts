import { type Kysely, type Selectable, sql } from 'kysely'
import type { HistoryGap } from '../../../chains/histories.ts'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import { matches, type TokenOnChain, type TransactionFilter } from './transaction-filter.ts'

export type ListedTransaction = Selectable<Tables['history_transaction']>
export type ListedMovement = Awaited<ReturnType<TransactionStore['movements']>>[number]
export type TransactionStore = ReturnType<typeof createTransactionStore>

const KEY = ['wallet', 'chain', 'block', 'tx_index'] as const
const ORDER = ['block_time', 'chain', 'block', 'tx_index', 'wallet'] as const

const order = (sort: 'asc' | 'desc') =>
  sql.join(ORDER.map((column) => sql`${sql.ref(`tx.${column}`)} ${sql.raw(sort)}`))

/** Begins with the columns of the time index, in its order. */
const isAfter = ({ block_time, chain, block, tx_index, wallet }: ListedTransaction) =>
  sql<boolean>`(tx.block_time, tx.chain, tx.block, tx.tx_index, tx.wallet) > (${block_time}::timestamptz, ${chain}::text,
    ${block.toString()}::bigint, ${tx_index}::integer, ${wallet}::text)`

export function createTransactionStore(db: Kysely<Tables>) {
  /** Orders by (time, chain, block, index in the block, wallet). Reads skipped rows from the index only. */
  async function list(
    filter: TransactionFilter,
    { sort, limit, offset }: { sort: 'asc' | 'desc'; limit: number; offset: number },
  ) {
    const page = db
      .selectFrom('history_transaction as tx')
      .select(KEY)
      .where((eb) => matches(eb, filter))
      .orderBy(order(sort))
      .limit(limit)
      .offset(offset)
    return db
      .selectFrom(page.as('page'))
      .innerJoin('history_transaction as tx', (join) =>
        KEY.reduce((on, column) => on.onRef(`page.${column}`, '=', `tx.${column}`), join),
      )
      .selectAll('tx')
      .orderBy(order(sort))
      .execute()
  }

  /** Yields pages in ascending order of `list`, wallet by wallet in an index: every page costs the same. */
  async function* walk(filter: TransactionFilter, limit: number): AsyncGenerator<ListedTransaction[], void, undefined> {
    for (let last: ListedTransaction | undefined; ; ) {
      const page = await pageAfter(filter, last, limit)
      if (page.length > 0) yield page
      if (page.length < limit) return
      last = page.at(-1)
    }
  }

  async function pageAfter(filter: TransactionFilter, last: ListedTransaction | undefined, limit: number) {
    const ofWallets = filter.wallets.map((wallet) => {
      const all = db
        .selectFrom('history_transaction as tx')
        .select([...KEY, 'block_time'])
        .where((eb) => matches(eb, { ...filter, wallets: [wallet] }))
        .orderBy(order('asc'))
        .limit(limit)
      return last ? all.where(isAfter(last)) : all
    })
    return db
      .selectFrom(
        sql<Pick<ListedTransaction, (typeof KEY)[number]>>`(${sql.join(ofWallets, sql` union all `)})`.as('page'),
      )
      .innerJoin('history_transaction as tx', (join) =>
        KEY.reduce((on, column) => on.onRef(`page.${column}`, '=', `tx.${column}`), join),
      )
      .selectAll('tx')
      .orderBy(order('asc'))
      .limit(limit)
      .execute()
  }

  async function movements(of: readonly Pick<ListedTransaction, 'wallet' | 'chain' | 'block' | 'tx_index'>[]) {
    if (of.length === 0) return []
    const { rows } = await sql<Selectable<Tables['history_movement']>>`
      select movement.* from history_movement as movement
      join unnest(${of.map(({ wallet }) => wallet)}::text[], ${of.map(({ chain }) => chain)}::text[],
        ${of.map(({ block }) => block.toString())}::bigint[], ${of.map(({ tx_index }) => tx_index)}::integer[])
        as listed (wallet, chain, block, tx_index) using (wallet, chain, block, tx_index)
      order by place`.execute(db)
    return rows
  }

  /** Jumps from token to token in the index: its cost does not grow with the movements. */
  async function tokens(wallets: readonly Address[]): Promise<TokenOnChain[]> {
    const { rows } = await sql<TokenOnChain>`
      with recursive moved as (
        select owner.wallet, first.chain, first.token
        from unnest(${wallets}::text[]) as owner (wallet) cross join lateral (
          select chain, token from history_movement where wallet = owner.wallet order by chain, token limit 1) as first
        union all
        select moved.wallet, next.chain, next.token
        from moved cross join lateral (
          select chain, token from history_movement
          where wallet = moved.wallet and (chain, token) > (moved.chain, moved.token)
          order by chain, token limit 1) as next)
      select distinct chain, token from moved`.execute(db)
    return rows
  }

  return { list, walk, movements, tokens, coverage: (wallets: readonly Address[]) => findCoverage(db, wallets) }
}

/**
 * Searched blocks, or with a `reason` blocks that could not be searched. `complete`: every movement of the native coin
 * in them is known too.
 */
export type CoverageRow = BlockRange & {
  wallet: Address
  chain: string
  complete: boolean
  reason: HistoryGap['reason'] | null
}

async function findCoverage(db: Kysely<Tables>, wallets: readonly Address[]): Promise<CoverageRow[]> {
  const { rows } = await sql<CoverageRow>`
    select searched.wallet, searched.chain, lower(range) as "fromBlock", upper(range) - 1 as "toBlock",
      coalesce(native.blocks @> range, false) as complete, null as reason
    from wallet_coverage as searched
      left join lateral (
        select range_agg(int8range(from_block, to_block, '[]')) as blocks from history_gap as gap
        where gap.wallet = searched.wallet and gap.chain = searched.chain and reason = 'replaced-chain') as replaced on true
      cross join unnest(searched.blocks - coalesce(replaced.blocks, '{}')) as range
      left join wallet_coverage as native
        on native.wallet = searched.wallet and native.chain = searched.chain and native.purpose = 'native'
    where searched.wallet = any (${wallets}) and searched.purpose = 'history'
    union all
    select wallet, chain, from_block, to_block, false, reason from history_gap where wallet = any (${wallets})
    order by wallet, chain, "fromBlock"`.execute(db)
  return rows
}
