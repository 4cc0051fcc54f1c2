import { type AliasedExpression, type ExpressionBuilder, type RawBuilder, type Selectable, sql } from 'kysely'
import type { HistoryGap } from '../../../chains/histories.ts'
import { rowTable } from '../../../db/row-table.ts'
import type { Db, Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { TokenOnChain } from '../context.ts'

export type ListedTransaction = Selectable<Tables['history_transaction']>
export type ListedMovement = Selectable<Tables['history_movement']>

const KEY = ['wallet', 'chain', 'block', 'tx_index'] as const
export type TransactionKey = WalletOnChain & { block: bigint; tx_index: number }
const ORDER = ['block_time', 'chain', 'block', 'tx_index', 'wallet'] as const

const order = (sort: 'asc' | 'desc') =>
  sql.join(ORDER.map((column) => sql`${sql.ref(`tx.${column}`)} ${sql.raw(sort)}`))

/** In the order of the time index. */
const isAfter = ({ block_time, chain, block, tx_index, wallet }: ListedTransaction) =>
  sql<boolean>`(tx.block_time, tx.chain, tx.block, tx.tx_index, tx.wallet) > (${block_time}::timestamptz, ${chain}::text,
    ${block.toString()}::bigint, ${tx_index}::integer, ${wallet}::text)`

/** Reads skipped rows from the index only. */
export function listTransactions(
  db: Db,
  filter: TransactionFilter,
  { sort, limit, offset }: { sort: 'asc' | 'desc'; limit: number; offset: number },
): Promise<ListedTransaction[]> {
  const page = db
    .selectFrom('history_transaction as tx')
    .select(KEY)
    .where((eb) => matches(eb, filter))
    .orderBy(order(sort))
    .limit(limit)
    .offset(offset)
  return wholeRows(db, page.as('page'), filter, sort).execute()
}

/** Walks an index wallet by wallet: every page costs the same. */
export async function* walkTransactions(db: Db, filter: TransactionFilter, limit: number) {
  for (let last: ListedTransaction | undefined; ; ) {
    const page = await pageAfter(db, filter, last, limit)
    if (page.length > 0) yield page
    if (page.length < limit) return
    last = page.at(-1)
  }
}

function pageAfter(db: Db, filter: TransactionFilter, last: ListedTransaction | undefined, limit: number) {
  const ofWallets = filter.wallets.map((wallet) => {
    const all = db
      .selectFrom('history_transaction as tx')
      .select([...KEY, 'block_time'])
      .where((eb) => matches(eb, { ...filter, wallets: [wallet] }))
      .orderBy(order('asc'))
      .limit(limit)
    return last ? all.where(isAfter(last)) : all
  })
  const page = sql<TransactionKey>`(${sql.join(ofWallets, sql` union all `)})`.as('page')
  return wholeRows(db, page, filter, 'asc').limit(limit).execute()
}

const wholeRows = (
  db: Db,
  page: AliasedExpression<TransactionKey, 'page'>,
  { wallets }: TransactionFilter,
  sort: 'asc' | 'desc',
) =>
  db
    .selectFrom(page)
    .innerJoin('history_transaction as tx', (join) =>
      KEY.reduce((on, column) => on.onRef(`page.${column}`, '=', `tx.${column}`), join),
    )
    .selectAll('tx')
    .where('tx.wallet', 'in', wallets)
    .orderBy(order(sort))

export async function findMovements(db: Db, of: readonly TransactionKey[]): Promise<ListedMovement[]> {
  if (of.length === 0) return []
  const columns = { wallet: 'text', chain: 'text', block: 'bigint', tx_index: 'integer' }
  const { rows } = await sql<ListedMovement>`
    select movement.* from history_movement as movement
    join ${rowTable('listed', columns, of)} using (wallet, chain, block, tx_index)
    where movement.wallet = any (${[...new Set(of.map(({ wallet }) => wallet))]})
    order by place`.execute(db)
  return rows
}

/** Jumps from token to token: the cost does not grow with the movements. */
export async function findMovedTokens(db: Db, wallets: readonly Address[]): Promise<TokenOnChain[]> {
  const ofWallets = wallets.map(async (wallet) => {
    const { rows } = await sql<TokenOnChain>`
      with recursive moved as (
        (select chain, token from history_movement where wallet = ${wallet} order by chain, token limit 1)
        union all
        select next.chain, next.token
        from moved cross join lateral (
          select chain, token from history_movement
          where wallet = ${wallet} and (chain, token) > (moved.chain, moved.token)
          order by chain, token limit 1) as next)
      select chain, token from moved`.execute(db)
    return rows
  })
  const found = (await Promise.all(ofWallets)).flat()
  return [...new Map(found.map((of) => [`${of.chain} ${of.token}`, of])).values()]
}

/** With a `reason`: unsearched blocks. `complete`: with every native movement. */
export type CoverageRow = BlockRange & {
  wallet: Address
  chain: string
  complete: boolean
  reason: HistoryGap['reason'] | null
}

export async function findCoverage(db: Db, wallets: readonly Address[]): Promise<CoverageRow[]> {
  const { rows } = await sql<CoverageRow>`
    select searched.wallet, searched.chain, lower(range) as "fromBlock", upper(range) - 1 as "toBlock",
      coalesce(native.blocks @> range, false) as complete, null as reason
    from wallet_coverage as searched
      left join (
        select wallet, chain, range_agg(int8range(from_block, to_block, '[]')) as blocks from history_gap
        where wallet = any (${wallets}) and reason = 'replaced-chain' group by wallet, chain) as replaced
        on replaced.wallet = searched.wallet and replaced.chain = searched.chain
      cross join unnest(searched.blocks - coalesce(replaced.blocks, '{}')) as range
      left join wallet_coverage as native
        on native.wallet = any (${wallets}) and native.wallet = searched.wallet and native.chain = searched.chain and native.purpose = 'native'
    where searched.wallet = any (${wallets}) and searched.purpose = 'history'
    union all
    select wallet, chain, from_block, to_block, false, reason from history_gap where wallet = any (${wallets})
    order by wallet, chain, "fromBlock"`.execute(db)
  return rows
}

type Hex = `0x${string}`

/** Undefined fields do not filter. Times in Unix milliseconds. */
export type TransactionFilter = {
  wallets: readonly Address[]
  chains: readonly string[] | undefined
  types: readonly string[] | undefined
  protocols: readonly string[] | undefined
  hideSpam: boolean
  hideDust: boolean
  from: number | undefined
  to: number | undefined
  tokenId: string | undefined
  /** Senders, recipients or counterparties. */
  tenants: readonly string[] | undefined
  /** Any match counts; `hash` is a part in lower case, `tokens` exclude gas. */
  search:
    | { hash: string; tokens: readonly TokenOnChain[]; protocols: readonly string[]; selectors: readonly Hex[] }
    | undefined
}

const DUST_USD = '0.01'

type Builder = ExpressionBuilder<Tables & { tx: Tables['history_transaction'] }, 'tx'>

function matches(eb: Builder, filter: TransactionFilter) {
  const { chains, types, protocols, from, to, tokenId, tenants, search } = filter
  return eb.and([
    eb('tx.wallet', 'in', filter.wallets),
    ...(chains ? [eb('tx.chain', 'in', chains)] : []),
    ...(types ? [types.length > 0 ? eb('tx.type', 'in', types) : eb.lit(false)] : []),
    ...(protocols ? [eb('tx.protocol', 'in', protocols)] : []),
    ...(from === undefined ? [] : [eb('tx.block_time', '>=', new Date(from))]),
    ...(to === undefined ? [] : [eb('tx.block_time', '<=', new Date(to))]),
    ...(filter.hideSpam ? [eb('tx.type', '<>', 'SPAM')] : []),
    ...(filter.hideDust ? [eb.or([eb('tx.value_usd', 'is', null), eb('tx.value_usd', '>=', DUST_USD)])] : []),
    ...(tokenId === undefined ? [] : [hasMovement(filter, sql<boolean>`movement.token_id = ${tokenId}::numeric`)]),
    ...(tenants ? [tookPart(eb, filter, tenants)] : []),
    ...(search ? [found(eb, filter, search)] : []),
  ])
}

/** Not correlated, so that PostgreSQL evaluates it once. */
function hasMovement({ wallets }: TransactionFilter, condition: RawBuilder<boolean>) {
  return sql<boolean>`(tx.wallet, tx.chain, tx.block, tx.tx_index) in (
    select wallet, chain, block, tx_index from history_movement as movement
    where movement.wallet = any (${wallets}::text[]) and ${condition})`
}

function tookPart(eb: Builder, filter: TransactionFilter, tenants: readonly string[]) {
  return eb.or([
    eb('tx.sender', 'in', tenants as readonly Hex[]),
    eb('tx.recipient', 'in', tenants as readonly Hex[]),
    hasMovement(filter, sql<boolean>`movement.counterparty = any (${tenants}::text[])`),
  ])
}

function found(
  eb: Builder,
  filter: TransactionFilter,
  { hash, tokens, protocols, selectors }: NonNullable<TransactionFilter['search']>,
) {
  return eb.or([
    sql<boolean>`strpos(lower(tx.hash), ${hash}) > 0`,
    ...(protocols.length > 0 ? [eb('tx.protocol', 'in', protocols)] : []),
    ...(selectors.length > 0 ? [eb('tx.selector', 'in', selectors)] : []),
    ...(tokens.length > 0
      ? [
          hasMovement(
            filter,
            sql<boolean>`(movement.chain, movement.token) in (
              select * from ${rowTable('named', { chain: 'text', token: 'text' }, tokens)})
              and movement.treatment <> 'fee'`,
          ),
        ]
      : []),
  ])
}
