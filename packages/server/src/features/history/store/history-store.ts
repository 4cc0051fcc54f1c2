import { sql } from 'kysely'
import type { FindTokenAccounts, HistoryGap, IdleBlocks, SearchedBlocks } from '../../../chains/histories.ts'
import type { Head, SeenBlock } from '../../../chains/seen-block.ts'
import { type Coverage, createCoverage } from '../../../db/coverage.ts'
import { rowTable } from '../../../db/row-table.ts'
import { createStatistics } from '../../../db/statistics.ts'
import type { Db, Trx } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import { type BlockRange, withoutRanges } from '../../../domain/block-ranges.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { tellFollowers } from '../../events/outbox.ts'
import { followWhole } from './followed-wallets.ts'
import { noteChange } from './history-changes.ts'
import { dropAdjustments, dropFrom, dropOthers, dropReplaced, insertFresh, type Place } from './history-rows.ts'

/** Runs in the transaction that stores the `fresh` ones, and may refuse. */
export type Pay = (trx: Trx, fresh: number) => Promise<void>

export type HistoryStore = ReturnType<typeof createHistoryStore>

export function createHistoryStore(db: Db) {
  const coverage = createCoverage(db, 'history')
  const nativeCoverage = createCoverage(db, 'native')
  const searched = { db, coverage, nativeCoverage }
  const statistics = createStatistics(db, ['history_transaction', 'history_movement'])

  /** Also deletes transactions that left the chain. */
  async function save(
    of: WalletOnChain,
    transactions: readonly WalletTransaction[],
    searched: SearchedBlocks | undefined,
    pay: Pay,
  ): Promise<void> {
    let added = 0
    await coverage.update(
      of,
      async (trx) => {
        const replaced = await dropReplaced(trx, of, transactions)
        const fresh = await insertFresh(trx, of, transactions)
        if (searched) await nativeCoverage.extend(trx, of, searched.native)
        await insertTokenAccounts(trx, of, searched?.tokenAccounts ?? [])
        const gone = searched?.found ? await dropOthers(trx, of, searched.ranges, searched.found) : []
        await changed(trx, of, [...replaced.places, ...gone, ...fresh])
        const found = fresh.filter(({ hash }) => !replaced.hashes.has(hash))
        await tellFound(trx, of, found)
        // Last: it takes the account's lock, for which all its calls wait.
        await pay(trx, found.length)
        added = fresh.length
        return searched?.ranges ?? []
      },
      searched?.seen,
    )
    await statistics.noteAdded(added)
  }

  /** These blocks may be on an abandoned fork. */
  async function rewind(of: WalletOnChain, block: bigint): Promise<void> {
    const isOf = sql`wallet = ${of.wallet} and chain = ${of.chain}`
    await db.transaction().execute(async (trx) => {
      await coverage.lock(trx, of)
      await coverage.forget(trx, of, block)
      await nativeCoverage.forget(trx, of, block)
      // The next search detects gaps again.
      await sql`delete from history_gap where ${isOf} and from_block >= ${block}`.execute(trx)
      await sql`update history_gap set to_block = ${block}::bigint - 1 where ${isOf} and to_block >= ${block}`.execute(
        trx,
      )
      await changed(trx, of, await dropFrom(trx, of, block))
    })
  }

  return {
    findCoverage: coverage.find,
    async findNativeHoles(of: WalletOnChain) {
      const [searched, native] = await Promise.all([coverage.find(of), nativeCoverage.find(of)])
      return withoutRanges(searched, native).reverse()
    },
    save,
    rewind,
    findTime: findTime.bind(null, db),
    setState: ({ chain, wallet }: WalletOnChain, head: Head) => setState(searched, chain, [wallet], head),
    group: {
      findCoverages: coverage.findAll,
      findSeenBlocks: findSeenBlocks.bind(null, searched),
      removeMarks: removeMarks.bind(null, db),
      setState: setState.bind(null, searched),
      saveIdle: saveIdle.bind(null, searched),
    },
    setGaps: setGaps.bind(null, db),
    async markReplaced({ wallet, chain }: WalletOnChain, { fromBlock, toBlock }: BlockRange) {
      await db.transaction().execute(async (trx) => {
        await sql`
          delete from history_gap where wallet = ${wallet} and chain = ${chain} and reason = 'replaced-chain'
            and from_block <> ${fromBlock}`.execute(trx)
        await sql`
          insert into history_gap (wallet, chain, from_block, to_block, reason)
          values (${wallet}, ${chain}, ${fromBlock}, ${toBlock}, 'replaced-chain')
          on conflict (wallet, chain, reason, from_block) do update set to_block = excluded.to_block`.execute(trx)
      })
    },
  }
}

/* For wallets that are searched together. */

type Searched = { db: Db; coverage: Coverage; nativeCoverage: Coverage }

/** Each wallet takes a lock; PostgreSQL has room for some thousands. */
const LOCKED_AT_ONCE = 100

/** Newest first. */
async function findSeenBlocks({ coverage }: Searched, chain: string, wallets: readonly Address[]) {
  const found = await coverage.findAllHeads(chain, wallets)
  for (const list of new Set(found.values())) list.sort((one, other) => Number(other.block - one.block))
  return found
}

/** The chain has their blocks again. */
async function removeMarks(db: Db, chain: string, wallets: readonly Address[]): Promise<void> {
  await sql`
    delete from history_gap
    where chain = ${chain} and wallet = any (${wallets}) and reason = 'replaced-chain'`.execute(db)
}

/** Only a reorg moves it back. Locks out balance comparisons, which rely on the block. */
async function setState({ db, coverage }: Searched, chain: string, wallets: readonly Address[], head: Head) {
  for (const some of pagesOf(wallets, LOCKED_AT_ONCE)) {
    await db.transaction().execute(async (trx) => {
      await coverage.lockAll(trx, chain, some)
      await sql`
        insert into history_state (wallet, chain, block, block_time)
        select wallet, ${chain}, ${head.number}, ${new Date(head.timestamp * 1000)} from unnest(${some}::text[]) as wallet
        order by wallet
        on conflict (wallet, chain) do update set block = excluded.block, block_time = excluded.block_time
          where history_state.block < excluded.block`.execute(trx)
      await followWhole(trx, chain, some)
    })
  }
}

/** Returns skipped wallets: their transactions in these blocks must be removed first. */
async function saveIdle(
  { db, coverage, nativeCoverage }: Searched,
  chain: string,
  idle: ReadonlyMap<Address, IdleBlocks>,
  seen: readonly SeenBlock[],
) {
  const others: Address[] = []
  for (const some of pagesOf([...idle.keys()], LOCKED_AT_ONCE)) {
    await db.transaction().execute(async (trx) => {
      await coverage.lockAll(trx, chain, some)
      const stored = await findStored(trx, chain, idle, some)
      const rest = some.filter((wallet) => !stored.has(wallet))
      const of = (which: keyof IdleBlocks) =>
        new Map(rest.map((wallet): [Address, readonly BlockRange[]] => [wallet, idle.get(wallet)?.[which] ?? []]))
      await nativeCoverage.extendAll(trx, chain, of('native'))
      await coverage.extendAll(trx, chain, of('ranges'), seen)
      others.push(...stored)
    })
  }
  return others
}

async function findStored(trx: Trx, chain: string, idle: ReadonlyMap<Address, IdleBlocks>, some: readonly Address[]) {
  const rows = some.flatMap((wallet) => (idle.get(wallet)?.ranges ?? []).map((range) => ({ wallet, ...range })))
  const { rows: stored } = await sql<{ wallet: Address }>`
    select distinct stored.wallet
    from history_transaction as stored
    join ${rowTable('searched', { wallet: 'text', fromBlock: 'bigint', toBlock: 'bigint' }, rows)} using (wallet)
    where stored.wallet = any (${some}) and stored.chain = ${chain}
      and stored.block between "fromBlock" and "toBlock"`.execute(trx)
  return new Set(stored.map(({ wallet }) => wallet))
}

/** Unix seconds. */
async function findTime(db: Db, { wallet, chain }: WalletOnChain): Promise<number | undefined> {
  const row = await db
    .selectFrom('history_state')
    .select('block_time')
    .where((eb) => eb.and({ wallet, chain }))
    .executeTakeFirst()
  return row && row.block_time.getTime() / 1000
}

async function setGaps(db: Db, { wallet, chain }: WalletOnChain, gaps: readonly HistoryGap[]): Promise<void> {
  const forget = sql`delete from history_gap where wallet = ${wallet} and chain = ${chain}`
  if (gaps.length === 0) {
    await forget.execute(db)
    return
  }
  const columns = { fromBlock: 'bigint', toBlock: 'bigint', reason: 'text' }
  await db.transaction().execute(async (trx) => {
    await forget.execute(trx)
    await sql`
      insert into history_gap (wallet, chain, from_block, to_block, reason)
      select ${wallet}, ${chain}, "fromBlock", "toBlock", reason from ${rowTable('gap', columns, gaps)}`.execute(trx)
  })
}

async function changed(trx: Trx, of: WalletOnChain, places: readonly Place[]): Promise<void> {
  const [first] = places.toSorted((a, b) => Number(a.block - b.block))
  if (!first) return
  const dropped = await dropAdjustments(trx, of, first.block)
  const earliest = [...places, ...dropped].reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY)
  await noteChange(trx, of.wallet, earliest)
}

/** Older ones come from a first search; the event `sync.ended` counts them. */
const NEW_SECONDS = 7 * 86_400

async function tellFound(trx: Db, { wallet, chain }: WalletOnChain, found: readonly WalletTransaction[]) {
  if (found.length === 0) return
  const { rows } = await sql<{ now: number }>`select extract(epoch from coffer_now())::float8 as now`.execute(trx)
  const since = (rows[0]?.now ?? 0) - NEW_SECONDS
  const events = found
    .filter(({ time }) => time >= since)
    .map(({ hash, block, time, type, succeeded }) => ({
      data: {
        address: wallet,
        chain,
        hash,
        type,
        succeeded,
        block: block.toString(),
        time: new Date(time * 1_000).toISOString(),
      },
    }))
  await tellFollowers(trx, 'transaction.found', wallet, events)
}

export function createFindTokenAccounts(db: Db): FindTokenAccounts {
  return async function findTokenAccounts({ wallet, chain }) {
    const rows = await db
      .selectFrom('history_token_account')
      .select('account')
      .where((eb) => eb.and({ wallet, chain }))
      .orderBy('account')
      .execute()
    return rows.map(({ account }) => account)
  }
}

async function insertTokenAccounts(trx: Trx, { wallet, chain }: WalletOnChain, accounts: readonly Address[]) {
  if (accounts.length === 0) return
  await sql`
    insert into history_token_account (wallet, chain, account)
    select ${wallet}, ${chain}, unnest(${accounts}::text[]) on conflict do nothing`.execute(trx)
}
