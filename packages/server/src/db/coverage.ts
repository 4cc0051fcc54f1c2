import { sql } from 'kysely'
import { LOCKS, lockTexts } from './locks.ts'
import type { Db, Trx } from './tables.ts'

/** `native`: history blocks with known native movements. */
export type CoveragePurpose = 'approvals' | 'logs' | 'programs' | 'history' | 'native'

/** Without histories, which were paid for. */
export const READ_AGAIN: readonly CoveragePurpose[] = ['approvals', 'logs', 'programs']

/** Both inclusive. */
type Blocks = { fromBlock: bigint; toBlock: bigint }
type Owner = { wallet: string; chain: string }
/** `hash` at the time of the search. */
type SearchedHead = { block: bigint; hash: string }

export type Coverage = ReturnType<typeof createCoverage>

/** For one set of `logs` per wallet at a time. */
export function createCoverage(db: Db, purpose: CoveragePurpose, logs = '') {
  async function find({ wallet, chain }: Owner): Promise<Blocks[]> {
    return (await findAll(chain, [wallet])).get(wallet) ?? []
  }

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

  /** Covers no range without its results, under one lock. `change` returns the ranges to add. */
  function update(owner: Owner, change: (trx: Trx) => Promise<readonly Blocks[]>): Promise<void> {
    return db.transaction().execute(async (trx) => {
      await lock(trx, owner)
      await extend(trx, owner, await change(trx))
    })
  }

  /** Requires the lock. */
  const extend = (trx: Trx, { chain, wallet }: Owner, ranges: readonly Blocks[]) =>
    extendAll(trx, chain, new Map([[wallet, ranges]]))

  async function extendAll(trx: Trx, chain: string, more: ReadonlyMap<string, readonly Blocks[]>): Promise<void> {
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

  /** Requires the lock. */
  async function forget(trx: Trx, { wallet, chain }: Owner, fromBlock: bigint): Promise<void> {
    await sql`
      update wallet_coverage set blocks = blocks - int8multirange(int8range(${fromBlock}, null))
      where wallet = ${wallet} and chain = ${chain} and purpose = ${purpose}`.execute(trx)
  }

  /** Returns the newest first. */
  async function findHeads({ wallet, chain }: Owner): Promise<SearchedHead[]> {
    const { rows } = await sql<{ heads: { block: string; hash: string }[] }>`
      select heads from wallet_coverage
      where wallet = ${wallet} and chain = ${chain} and purpose = ${purpose} and logs = ${logs}`.execute(db)
    return rows.flatMap(({ heads }) => heads.map(({ block, hash }) => ({ block: BigInt(block), hash })))
  }

  const setHeads = (trx: Db, { wallet, chain }: Owner, heads: readonly SearchedHead[]) =>
    setAllHeads(trx, chain, new Map([[wallet, heads]]))

  async function setAllHeads(
    trx: Db,
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

  const lock = (trx: Trx, { wallet, chain }: Owner) => lockAll(trx, chain, [wallet])

  function lockAll(trx: Trx, chain: string, wallets: readonly string[]): Promise<void> {
    const texts = wallets.map((wallet) => LOCKS.coverage(purpose, chain, wallet))
    return lockTexts(trx, texts)
  }

  return { find, findAll, findHeads, setHeads, setAllHeads, update, extend, extendAll, forget, lock, lockAll }
}
