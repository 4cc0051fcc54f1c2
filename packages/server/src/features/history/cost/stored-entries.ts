import { sql } from 'kysely'
import type { Db } from '../../../db/tables.ts'
import { assetKey } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { dayOf, nextDay } from '../../../domain/day.ts'
import { decimal } from '../../../domain/decimal.ts'
import type { Treatment } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { pagesOf } from '../../../lib/pages.ts'
import type { ListedMovement } from '../transactions/transaction-store.ts'

/** `time` in Unix seconds. `tx_index` null: an adjustment. `multiplier`: displayed per stored unit; null: equal. */
export type StoredEntry = Omit<
  ListedMovement,
  'tx_index' | 'treatment' | 'price_source' | 'priced_at' | 'multiplier_known'
> & {
  time: number
  tx_index: number | null
  hash: string | null
  type: string | null
  protocol: string | null
  treatment: Treatment
  /** A transfer of one token by a direct call of its contract. */
  plain: boolean
  /** Every native movement of the transaction is known. */
  native_known: boolean
}

/** Whole days (UTC), `until` exclusive; null: to the end. */
export type Days = { since: string; until: string | null }

/** Some ten megabytes. A run commits as often. */
const ENTRIES_AT_ONCE = 10_000

/** PostgreSQL scans a table to find many more. */
const WALLETS_AT_ONCE = 500

export const walletsOf = ({ parts }: { parts: readonly WalletOnChain[] }): Address[] => [
  ...new Set(parts.map(({ wallet }) => wallet)),
]

export const walletGroups = (wallets: readonly Address[]): Address[][] => pagesOf(wallets, WALLETS_AT_ONCE)

export const FIRST_DAY = '0001-01-01'

/** Whole days, about `most` transactions at a time; the last page may be empty. The next run includes changes made meanwhile. */
export async function* storedEntries(
  db: Db,
  parts: readonly WalletOnChain[],
  from = FIRST_DAY,
  most = ENTRIES_AT_ONCE,
): AsyncGenerator<Days & { entries: StoredEntry[] }, void, undefined> {
  const wallets = walletsOf({ parts })
  let since = from
  while (!(await fits(db, wallets, since, most))) {
    for (const until of await endsOfPages(db, wallets, since, most)) {
      yield { since, until, entries: await entriesBetween(db, parts, { since, until }) }
      since = until
    }
  }
  yield { since, until: null, entries: await entriesBetween(db, parts, { since, until: null }) }
}

/** Unix seconds. A wallet with entries has a change. */
export async function findFirstEntryAt(db: Db, wallets: readonly Address[], since = FIRST_DAY) {
  const first = (table: string) => sql`
    select min(first.block_time) as at
    from (select distinct wallet from history_change where wallet = any (${wallets})) as changed cross join lateral (
      select block_time from ${sql.table(table)} as entry
      where entry.wallet = any (${wallets}) and entry.wallet = changed.wallet and block_time >= ${since}::date
      order by block_time limit 1) as first`
  const { rows } = await sql<{ at: Date | null }>`
    select min(at) as at
    from (${first('history_transaction')} union all ${first('history_adjustment')}) as firsts`.execute(db)
  const at = rows[0]?.at
  return at ? at.getTime() / 1_000 : undefined
}

/** By `assetKey`: shown per stored unit of the last movement before a moment (Unix seconds). */
export async function findMultipliers(db: Db, wallets: readonly Address[], at: number) {
  const { rows } = await sql<{ chain: string; token: Address; multiplier: string }>`
    select distinct on (chain, token) chain, token, multiplier
    from history_movement join history_transaction using (wallet, chain, block, tx_index)
    where wallet = any (${wallets}) and multiplier is not null and block_time < to_timestamp(${at})
    order by chain, token, block desc, tx_index desc, wallet desc, place desc`.execute(db)
  return new Map(rows.map(({ multiplier, ...token }) => [assetKey(token), decimal(multiplier)]))
}

/** Fewer than `most` are left. */
async function fits(db: Db, wallets: readonly Address[], since: string, most: number): Promise<boolean> {
  const upTo = (table: string, group: readonly Address[]) => sql`
    (select count(*) from (select wallet from ${sql.table(table)}
      where wallet = any (${group}) and block_time >= ${since}::date limit ${most}) as counted)`
  let left = most
  for (const group of walletGroups(wallets)) {
    const { rows } = await sql<{ entries: number }>`
      select (${upTo('history_transaction', group)} + ${upTo('history_adjustment', group)})::integer as entries`.execute(
      db,
    )
    left -= rows[0]?.entries ?? 0
    if (left <= 0) return false
  }
  return true
}

/** Within the year of the first entry, which bounds the statement. */
async function endsOfPages(db: Db, wallets: readonly Address[], since: string, most: number): Promise<string[]> {
  const first = dayOf((await findFirstEntryAt(db, wallets, since)) ?? 0)
  const end = `${String(Number(first.slice(0, 4)) + 1).padStart(4, '0')}-01-01`
  const byDay = (table: string, group: readonly Address[]) => sql`
    select block_time::date as day, count(*) as entries from ${sql.table(table)}
    where wallet = any (${group}) and block_time >= ${first}::date and block_time < ${end}::date group by 1`
  const counts = new Map<string, number>()
  for (const group of walletGroups(wallets)) {
    const { rows } = await sql<{ day: string; entries: number }>`
      select day::text, sum(entries)::integer as entries
      from (${byDay('history_transaction', group)} union all ${byDay('history_adjustment', group)}) as counted
      group by day`.execute(db)
    for (const { day, entries } of rows) counts.set(day, (counts.get(day) ?? 0) + entries)
  }
  const ends: string[] = []
  let entries = 0
  for (const day of [...counts.keys()].toSorted()) {
    entries += counts.get(day) ?? 0
    if (entries < most) continue
    ends.push(nextDay(day))
    entries = 0
  }
  return ends.length > 0 ? ends : [end]
}

/** ERC-20 `transfer`. */
const TRANSFER = '0xa9059cbb'

async function entriesBetween(db: Db, parts: readonly WalletOnChain[], days: Days): Promise<StoredEntry[]> {
  const ofWallets = Map.groupBy(parts, ({ wallet }) => wallet)
  const found: StoredEntry[] = []
  for (const group of walletGroups([...ofWallets.keys()])) {
    found.push(
      ...(await entriesOfGroup(
        db,
        group.flatMap((wallet) => ofWallets.get(wallet) ?? []),
        days,
      )),
    )
  }
  return found.sort(byPlace)
}

/** Wallets of one transaction follow each other. */
function byPlace(a: StoredEntry, b: StoredEntry): number {
  return (
    a.time - b.time ||
    compareText(a.chain, b.chain) ||
    Number(a.block - b.block) ||
    (a.tx_index ?? Number.MAX_VALUE) - (b.tx_index ?? Number.MAX_VALUE) ||
    compareText(a.wallet, b.wallet) ||
    a.place - b.place ||
    compareText(a.token, b.token)
  )
}

async function entriesOfGroup(db: Db, parts: readonly WalletOnChain[], { since, until }: Days) {
  const [wallets, chains] = [parts.map(({ wallet }) => wallet), parts.map(({ chain }) => chain)]
  const distinct = [...new Set(wallets)]
  const isIn = sql`
    wallet = any (${distinct}) and block_time >= ${since}::date and block_time < ${until ?? 'infinity'}::date
    and (wallet, chain) in (select * from unnest(${wallets}::text[], ${chains}::text[]))`
  const { rows } = await sql<Omit<StoredEntry, 'time'> & { block_time: Date }>`
    select wallet, chain, block, block_time, tx_index, hash, type, protocol, place, token, token_id, amount, counterparty,
      debt, leg, treatment, multiplier, price, selector = ${TRANSFER} and recipient = token as plain,
      coalesce(native.blocks @> block, false) as native_known
    from history_transaction as tx
    join history_movement as movement using (wallet, chain, block, tx_index)
    left join (
      select wallet, chain, blocks from wallet_coverage
      where wallet = any (${distinct}) and purpose = 'native') as native using (wallet, chain)
    where ${isIn}
    union all
    select wallet, chain, block, block_time, null, null, null, null, 0, token, null, amount, null,
      debt, 0, kind, null, price, false, true
    from history_adjustment
    where ${isIn}`.execute(db)
  return rows.map(({ block_time, ...row }) => ({ ...row, time: block_time.getTime() / 1000 }))
}
