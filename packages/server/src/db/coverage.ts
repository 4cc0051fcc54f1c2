import { sql } from 'kysely'
import { LOCKS, lockTexts } from './locks.ts'
import { rowTable } from './row-table.ts'
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

type StoredHead = { block: string; hash: string }

const headsOf = (stored: readonly StoredHead[]): SearchedHead[] =>
  stored.map(({ block, hash }) => ({ block: BigInt(block), hash }))

const jsonOf = (heads: readonly SearchedHead[]) =>
  JSON.stringify(heads.map(({ block, hash }) => ({ block: block.toString(), hash })))

/** `isEach`: also an empty range for a wallet without one. */
const rowsOf = (more: ReadonlyMap<string, readonly Blocks[]>, isEach: boolean) =>
  [...more].flatMap(([wallet, ranges]) => {
    const rows = ranges.map(({ fromBlock, toBlock }) => ({ wallet, fromBlock, below: toBlock + 1n }))
    return rows.length > 0 || !isEach ? rows : [{ wallet, fromBlock: 0n, below: 0n }]
  })

/** The last eight, each block once. */
const ADDED_HEADS = sql`jsonb_path_query_array(
  excluded.heads || jsonb_path_query_array(stored.heads, '$[*] ? (!(@.block == $added[*].block))',
    jsonb_set('{"added": null}', '{added}', excluded.heads)), '$[0 to 7]')`

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
  function update(
    owner: Owner,
    change: (trx: Trx) => Promise<readonly Blocks[]>,
    heads?: readonly SearchedHead[],
  ): Promise<void> {
    return db.transaction().execute(async (trx) => {
      await lock(trx, owner)
      await extendAll(trx, owner.chain, new Map([[owner.wallet, await change(trx)]]), heads)
    })
  }

  /** Requires the lock. */
  const extend = (trx: Trx, { chain, wallet }: Owner, ranges: readonly Blocks[]) =>
    extendAll(trx, chain, new Map([[wallet, ranges]]))

  /** Adds `heads` to those of the wallets, also where no range is added. */
  async function extendAll(
    trx: Trx,
    chain: string,
    more: ReadonlyMap<string, readonly Blocks[]>,
    heads: readonly SearchedHead[] = [],
  ): Promise<void> {
    const rows = rowsOf(more, heads.length > 0)
    if (rows.length === 0) return
    await sql`
      insert into wallet_coverage as stored (wallet, chain, purpose, logs, blocks, heads)
      select wallet, ${chain}, ${purpose}, ${logs}, range_agg(int8range("fromBlock", below)), ${jsonOf(heads)}::jsonb
      from ${rowTable('searched', { wallet: 'text', fromBlock: 'bigint', below: 'bigint' }, rows)}
      group by wallet
      on conflict (wallet, chain, purpose) do update set logs = excluded.logs,
        blocks = excluded.blocks + case when stored.logs = excluded.logs then stored.blocks else '{}' end,
        heads = ${heads.length > 0 ? ADDED_HEADS : sql`stored.heads`}`.execute(trx)
  }

  /** Also its heads there. Requires the lock. */
  async function forget(trx: Trx, { wallet, chain }: Owner, fromBlock: bigint): Promise<void> {
    await sql`
      update wallet_coverage set blocks = blocks - int8multirange(int8range(${fromBlock}, null)),
        heads = jsonb_path_query_array(heads, '$[*] ? (@.block.double() < $from)', jsonb_build_object('from', ${fromBlock}::bigint))
      where wallet = ${wallet} and chain = ${chain} and purpose = ${purpose}`.execute(trx)
  }

  const findHeads = async ({ wallet, chain }: Owner) => (await findAllHeads(chain, [wallet])).get(wallet) ?? []

  /** As added, newest first. Wallets that are searched together share a list. */
  async function findAllHeads<W extends string>(chain: string, wallets: readonly W[]): Promise<Map<W, SearchedHead[]>> {
    const { rows } = await sql<{ among: W[]; heads: StoredHead[] }>`
      select array_agg(wallet) as among, heads from wallet_coverage
      where wallet = any (${wallets}) and chain = ${chain} and purpose = ${purpose} and logs = ${logs}
      group by heads`.execute(db)
    const lists = rows.map(({ among, heads }) => ({ among, list: headsOf(heads) }))
    return new Map(lists.flatMap(({ among, list }) => among.map((wallet): [W, SearchedHead[]] => [wallet, list])))
  }

  const setHeads = (trx: Db, { wallet, chain }: Owner, heads: readonly SearchedHead[]) =>
    setAllHeads(trx, chain, new Map([[wallet, heads]]))

  async function setAllHeads(
    trx: Db,
    chain: string,
    heads: ReadonlyMap<string, readonly SearchedHead[]>,
  ): Promise<void> {
    const stored = [...heads.values()].map(jsonOf)
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

  return {
    find,
    findAll,
    findHeads,
    findAllHeads,
    setHeads,
    setAllHeads,
    update,
    extend,
    extendAll,
    forget,
    lock,
    lockAll,
  }
}
