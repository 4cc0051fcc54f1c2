import { type Kysely, sql, type Transaction } from 'kysely'
import { LOCKS, lockTexts } from './locks.ts'
import type { Tables } from './tables.ts'

/** What blocks of a wallet are searched for. `native`: those of its history in which native coin movements are known. */
export type CoveragePurpose = 'approvals' | 'logs' | 'programs' | 'history' | 'native'

/** Purposes whose results can be read again; histories were paid for. */
export const READ_AGAIN: readonly CoveragePurpose[] = ['approvals', 'logs', 'programs']

/** Both included. */
type Blocks = { fromBlock: bigint; toBlock: bigint }
type Owner = { wallet: string; chain: string }
/** A block at which a search ended, with the hash that it had then. */
type SearchedHead = { block: bigint; hash: string }

export type Coverage = ReturnType<typeof createCoverage>

/**
 * Searched blocks of wallets for one purpose: a row a wallet and chain. `logs`: for a purpose whose searches look for
 * one of several sets of logs, which one; a wallet has the coverage of one set at a time.
 */
export function createCoverage(db: Kysely<Tables>, purpose: CoveragePurpose, logs = '') {
  /** Disjoint ranges in block order. */
  async function find({ wallet, chain }: Owner): Promise<Blocks[]> {
    return (await findAll(chain, [wallet])).get(wallet) ?? []
  }

  /** Coverage of several wallets on a chain; every wallet has an entry. */
  async function findAll<W extends string>(chain: string, wallets: readonly W[]): Promise<Map<W, Blocks[]>> {
    const { rows } = await sql<Blocks & { wallet: W }>`
      select wallet, lower(range) as "fromBlock", upper(range) - 1 as "toBlock"
      from wallet_coverage cross join unnest(blocks) as range
      where wallet = any (${wallets}) and chain = ${chain} and purpose = ${purpose} and logs = ${logs}
      order by wallet, range`.execute(db)
    const found = new Map(wallets.map((wallet): [W, Blocks[]] => [wallet, []]))
    for (const { wallet, ...range } of rows) found.get(wallet)?.push(range)
    return found
  }

  /**
   * Changes a wallet's results together with its coverage, under its lock: no range is ever covered without its
   * results, even with concurrent searches. `change` returns the ranges to add to the coverage.
   */
  function update(owner: Owner, change: (trx: Transaction<Tables>) => Promise<readonly Blocks[]>): Promise<void> {
    return db.transaction().execute(async (trx) => {
      await lock(trx, owner)
      await extend(trx, owner, await change(trx))
    })
  }

  /** Adds blocks to the coverage. The transaction must hold the lock. */
  async function extend(trx: Transaction<Tables>, { chain, wallet }: Owner, ranges: readonly Blocks[]): Promise<void> {
    await extendAll(trx, chain, new Map([[wallet, ranges]]))
  }

  /** As `extend`, of several wallets, in one statement. */
  async function extendAll(
    trx: Transaction<Tables>,
    chain: string,
    more: ReadonlyMap<string, readonly Blocks[]>,
  ): Promise<void> {
    const rows = [...more].flatMap(([wallet, ranges]) => ranges.map((range) => ({ wallet, ...range })))
    if (rows.length === 0) return
    await sql`
      insert into wallet_coverage as stored (wallet, chain, purpose, logs, blocks)
      select wallet, ${chain}, ${purpose}, ${logs}, range_agg(int8range(from_block, to_block, '[]'))
      from unnest(${rows.map(({ wallet }) => wallet)}::text[], ${rows.map(({ fromBlock }) => fromBlock.toString())}::bigint[],
        ${rows.map(({ toBlock }) => toBlock.toString())}::bigint[]) as searched (wallet, from_block, to_block)
      group by wallet
      on conflict (wallet, chain, purpose) do update set logs = excluded.logs,
        blocks = excluded.blocks + case when stored.logs = excluded.logs then stored.blocks else '{}' end`.execute(trx)
  }

  /** Removes the blocks from `fromBlock` on. The transaction must hold the lock. */
  async function forget(trx: Transaction<Tables>, { wallet, chain }: Owner, fromBlock: bigint): Promise<void> {
    await sql`
      update wallet_coverage set blocks = blocks - int8multirange(int8range(${fromBlock}, null))
      where wallet = ${wallet} and chain = ${chain} and purpose = ${purpose}`.execute(trx)
  }

  /** Newest first. */
  async function findHeads({ wallet, chain }: Owner): Promise<SearchedHead[]> {
    const { rows } = await sql<{ heads: { block: string; hash: string }[] }>`
      select heads from wallet_coverage
      where wallet = ${wallet} and chain = ${chain} and purpose = ${purpose} and logs = ${logs}`.execute(db)
    return rows.flatMap(({ heads }) => heads.map(({ block, hash }) => ({ block: BigInt(block), hash })))
  }

  async function setHeads(
    trx: Kysely<Tables>,
    { wallet, chain }: Owner,
    heads: readonly SearchedHead[],
  ): Promise<void> {
    await setAllHeads(trx, chain, new Map([[wallet, heads]]))
  }

  /** As `setHeads`, of several wallets, in one statement. */
  async function setAllHeads(
    trx: Kysely<Tables>,
    chain: string,
    heads: ReadonlyMap<string, readonly SearchedHead[]>,
  ): Promise<void> {
    const stored = [...heads.values()].map((some) =>
      JSON.stringify(some.map(({ block, hash }) => ({ block: block.toString(), hash }))),
    )
    await sql`
      insert into wallet_coverage (wallet, chain, purpose, logs, blocks, heads)
      select wallet, ${chain}, ${purpose}, ${logs}, '{}', heads::jsonb
      from unnest(${[...heads.keys()]}::text[], ${stored}::text[]) as seen (wallet, heads)
      on conflict (wallet, chain, purpose) do update set heads = excluded.heads`.execute(trx)
  }

  const lock = (trx: Transaction<Tables>, { wallet, chain }: Owner) => lockAll(trx, chain, [wallet])

  /** Takes locks in a fixed order, so that transactions cannot deadlock. */
  function lockAll(trx: Transaction<Tables>, chain: string, wallets: readonly string[]): Promise<void> {
    return lockTexts(
      trx,
      wallets.map((wallet) => LOCKS.coverage(purpose, chain, wallet)),
    )
  }

  return { find, findAll, findHeads, setHeads, setAllHeads, update, extend, extendAll, forget, lock, lockAll }
}
