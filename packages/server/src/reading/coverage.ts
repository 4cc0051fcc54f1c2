import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Address } from '../domain/address.ts'
import { type BlockRange, mergeRanges } from '../domain/block-ranges.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'

export type CoverageTable =
  | 'approval_coverage'
  | 'wallet_log_coverage'
  | 'wallet_program_coverage'
  | 'history_coverage'
  | 'history_native_coverage'

/**
 * WalletOnChain blocks of a wallet for one purpose (`table`), as disjoint ranges in block order. `logs`: for a purpose
 * whose searches look for one of several sets of logs, which one; a wallet has the coverage of one set at a time.
 */
export function createCoverage(db: Kysely<Tables>, table: CoverageTable, logs?: string) {
  const ofLogs = logs === undefined ? sql`` : sql`and logs = ${logs}`

  async function find({ wallet, chain }: WalletOnChain, trx: Kysely<Tables> = db): Promise<BlockRange[]> {
    return (await findAll(chain, [wallet], trx)).get(wallet) ?? []
  }

  /** Coverage of several wallets on a chain, in one statement; every wallet has an entry. */
  async function findAll(
    chain: string,
    wallets: readonly Address[],
    trx: Kysely<Tables> = db,
  ): Promise<Map<Address, BlockRange[]>> {
    const found = new Map(wallets.map((wallet): [Address, BlockRange[]] => [wallet, []]))
    const { rows } = await sql<{ wallet: Address; fromBlock: bigint; toBlock: bigint }>`
      select wallet, from_block as "fromBlock", to_block as "toBlock" from ${sql.table(table)}
      where chain = ${chain} and wallet = any (${wallets}) ${ofLogs} order by wallet, from_block`.execute(trx)
    for (const { wallet, ...range } of rows) found.get(wallet)?.push(range)
    return found
  }

  /**
   * Changes a wallet's results together with its coverage, under its lock: no range is ever covered without its
   * results, even with concurrent searches. `change` returns the ranges to add to the coverage.
   */
  function update(
    of: WalletOnChain,
    change: (trx: Transaction<Tables>) => Promise<readonly BlockRange[]>,
  ): Promise<void> {
    return db.transaction().execute(async (trx) => {
      await lock(trx, of)
      await extend(trx, of, await change(trx))
    })
  }

  /** Adds blocks to the coverage. The transaction must hold the lock. */
  async function extend(trx: Transaction<Tables>, of: WalletOnChain, ranges: readonly BlockRange[]): Promise<void> {
    await extendAll(trx, of.chain, new Map([[of.wallet, ranges]]))
  }

  /** As `extend`, of several wallets, in as many statements as of one. */
  async function extendAll(
    trx: Transaction<Tables>,
    chain: string,
    more: ReadonlyMap<Address, readonly BlockRange[]>,
  ): Promise<void> {
    const longer = [...more].filter(([, ranges]) => ranges.length > 0)
    if (longer.length === 0) return
    const covered = await findAll(
      chain,
      longer.map(([wallet]) => wallet),
      trx,
    )
    const merged = longer.map(([wallet, ranges]): [Address, BlockRange[]] => {
      return [wallet, mergeRanges([...(covered.get(wallet) ?? []), ...ranges])]
    })
    await write(trx, chain, new Map(merged))
  }

  /** Removes the blocks from `fromBlock` on. The transaction must hold the lock. */
  async function forget(trx: Transaction<Tables>, of: WalletOnChain, fromBlock: bigint): Promise<void> {
    const kept = (await find(of, trx)).flatMap((range) => {
      if (range.fromBlock >= fromBlock) return []
      return [{ fromBlock: range.fromBlock, toBlock: range.toBlock < fromBlock ? range.toBlock : fromBlock - 1n }]
    })
    await write(trx, of.chain, new Map([[of.wallet, kept]]))
  }

  async function lock(trx: Transaction<Tables>, { wallet, chain }: WalletOnChain): Promise<void> {
    await lockAll(trx, chain, [wallet])
  }

  /** Takes locks in a fixed order, so that transactions cannot deadlock. */
  async function lockAll(trx: Transaction<Tables>, chain: string, wallets: readonly Address[]): Promise<void> {
    const keys = wallets.map((wallet) => `${table} ${chain} ${wallet}`)
    await sql`
      select pg_advisory_xact_lock(hashtextextended(key, 0))
      from (select key from unnest(${keys}::text[]) as key order by key) as ordered`.execute(trx)
  }

  async function write(
    trx: Transaction<Tables>,
    chain: string,
    covered: ReadonlyMap<Address, readonly BlockRange[]>,
  ): Promise<void> {
    await sql`
      delete from ${sql.table(table)} where chain = ${chain} and wallet = any (${[...covered.keys()]})`.execute(trx)
    const rows = [...covered].flatMap(([wallet, ranges]) => ranges.map((range) => ({ wallet, ...range })))
    if (rows.length === 0) return
    await sql`
      insert into ${sql.table(table)} (wallet, chain, from_block, to_block${logs === undefined ? sql`` : sql`, logs`})
      select wallet, ${chain}, from_block, to_block${logs === undefined ? sql`` : sql`, ${logs}`}
      from unnest(${rows.map(({ wallet }) => wallet)}::text[], ${rows.map(({ fromBlock }) => fromBlock.toString())}::bigint[],
        ${rows.map(({ toBlock }) => toBlock.toString())}::bigint[]) as range (wallet, from_block, to_block)`.execute(
      trx,
    )
  }

  return { find, findAll, update, extend, extendAll, forget, lock, lockAll }
}
