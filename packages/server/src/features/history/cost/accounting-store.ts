import { sql } from 'kysely'
import { rowTable } from '../../../db/row-table.ts'
import type { Db, Trx } from '../../../db/tables.ts'
import type { State } from '../../../domain/accounting/state.ts'
import { type StateJson, stateFromJson, stateToJson } from '../../../domain/accounting/state-json.ts'
import type { Address } from '../../../domain/address.ts'
import { dayOf, nextDay } from '../../../domain/day.ts'
import type { Treatment } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { pagesOf } from '../../../lib/pages.ts'
import type { ChainGap } from '../../portfolio/wallet-figures.ts'
import type { Books, TokenOnChain } from '../context.ts'
import type { ListedMovement, TransactionKey } from '../transactions/transaction-store.ts'

/**
 * First blocks: `nativeFrom` with unknown native movements, `lostFrom` unreadable, `keptFrom` that nodes still have,
 * `replacedFrom` that the only endpoint lacks. Null: nothing is missing. `version` changes with the first three.
 */
export type Part = WalletOnChain & {
  native: Address
  nativeFrom: bigint | null
  lostFrom: bigint | null
  keptFrom: bigint | null
  replacedFrom: bigint | null
  version: string
}

/** `elsewhere`: incomplete chains of the same wallets. Wallets without a complete history are in neither. */
export type ScopeParts = { parts: readonly Part[]; elsewhere: readonly WalletOnChain[] }

export type Scope = ScopeParts & { key: string; method: State['method'] }

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

/** `seen`: last included change by `keysOf`. `lacking`: tokens without decimals. */
export type Accounted = {
  method: State['method']
  seen: ReadonlyMap<string, string>
  lacking: readonly TokenOnChain[]
  revision: bigint
}

/** Balance less movements, in base units. `block`: where they first differed. */
export type Gap = TokenOnChain & { wallet: Address; block: bigint; amountRaw: bigint }

/** USD; null: unknown. `time` in Unix seconds. */
export type StoredResult = TransactionKey & {
  place: number
  time: number
  costBasis: string | null
  closedPnl: string | null
}

/** Some tens of megabytes. */
const ENTRIES_AT_ONCE = 25_000

/** Whole days (UTC), about `most` transactions at a time. The next run includes changes made meanwhile. */
export async function* storedEntries(
  db: Db,
  parts: readonly WalletOnChain[],
  from: string | undefined,
  most = ENTRIES_AT_ONCE,
): AsyncGenerator<StoredEntry[], void, undefined> {
  const wallets = walletsOf({ parts })
  for (let since: Date | undefined = new Date(from ?? 0); since; ) {
    const until = await endOfPage(db, wallets, since, most)
    const page = await entriesBetween(db, parts, since, until)
    if (page.length > 0) yield page
    since = until
  }
}

export async function findAccounted(db: Db, key: string): Promise<Accounted | undefined> {
  const row = await selectAccounted(db, key).executeTakeFirst()
  return row && accountedOf(row)
}

export async function findState(db: Db, key: string): Promise<(Accounted & { state: State }) | undefined> {
  const row = await selectAccounted(db, key).select('state').executeTakeFirst()
  return row && { ...accountedOf(row), state: stateFromJson(row.state as unknown as StateJson) }
}

export async function stateBefore(db: Db, key: string, day: string) {
  const row = await db
    .selectFrom('accounting_day')
    .select(['day', 'state'])
    .where('scope', '=', key)
    .where('day', '<', day)
    .orderBy('day', 'desc')
    .executeTakeFirst()
  return row && { day: row.day, state: stateFromJson(row.state as unknown as StateJson) }
}

/** Returns false and writes nothing if `goesOn.revision` is outdated. */
export async function saveComputed(
  { db, statistics }: Books,
  scope: Scope,
  goesOn: { from: string; revision: bigint } | undefined,
  computed: Computed,
): Promise<boolean> {
  const { key } = scope
  const isSaved = await db.transaction().execute(async (trx) => {
    if (!(await writeAccounted(trx, scope, goesOn?.revision, computed))) return false
    const since = goesOn?.from ?? '0001-01-01'
    await trx.deleteFrom('accounting_day').where('scope', '=', key).where('day', '>=', since).execute()
    await trx.deleteFrom('accounting_result').where('scope', '=', key).where('at', '>=', new Date(since)).execute()
    for (const { day, state } of computed.days) {
      await sql`
        insert into accounting_day (scope, day, state)
        values (${key}, ${day}, ${JSON.stringify(stateToJson(state))}::jsonb)`.execute(trx)
    }
    await insertResults(trx, key, computed.results)
    return true
  })
  if (isSaved) await statistics.noteAdded(computed.results.length)
  return isSaved
}

const RESULT_KEY = { wallet: 'text', chain: 'text', block: 'bigint', tx_index: 'integer' }

export async function findResults(db: Db, key: string, of: readonly TransactionKey[]) {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const accounted = await findAccounted(trx, key)
    const { rows: results } = await sql<Omit<StoredResult, 'time'>>`
      select wallet, chain, block, tx_index, place, cost_basis as "costBasis", closed_pnl as "closedPnl"
      from accounting_result join ${rowTable('listed', RESULT_KEY, of)} using (wallet, chain, block, tx_index)
      where scope = ${key}`.execute(trx)
    return accounted && { ...accounted, results }
  })
}

/** Unix seconds. */
export async function findFirstEntryAt(db: Db, wallets: readonly Address[]): Promise<number | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select least(
      (select min(block_time) from history_transaction where wallet = any (${wallets})),
      (select min(block_time) from history_adjustment where wallet = any (${wallets}))) as at`.execute(db)
  const at = rows[0]?.at
  return at ? at.getTime() / 1_000 : undefined
}

/** Keyed by `gapKey`. */
export async function findGaps(db: Db, wallets: readonly Address[]): Promise<ReadonlyMap<string, Gap>> {
  const { rows } = await sql<Omit<Gap, 'amountRaw'> & { amount: string }>`
    select wallet, chain, token, min(block) as block, sum(amount)::text as amount from history_adjustment
    where wallet = any (${wallets}) and kind = 'gap'
    group by wallet, chain, token`.execute(db)
  return new Map(rows.map(({ amount, ...gap }) => [gapKey(gap), { ...gap, amountRaw: BigInt(amount) }]))
}

/** undefined: all remaining entries fit. */
async function endOfPage(db: Db, wallets: readonly Address[], since: Date, most: number): Promise<Date | undefined> {
  const full = (table: string) => sql`
    (select block_time from ${sql.table(table)} where wallet = any (${wallets}) and block_time >= ${since}
      order by block_time offset ${most - 1} limit 1)`
  const { rows } = await sql<{ at: Date | null }>`
    select min(block_time) as at
    from (${full('history_transaction')} union all ${full('history_adjustment')}) as full_at`.execute(db)
  const at = rows[0]?.at
  return at ? new Date(nextDay(dayOf(at.getTime() / 1_000))) : undefined
}

/** ERC-20 `transfer`. */
const TRANSFER = '0xa9059cbb'

async function entriesBetween(db: Db, parts: readonly WalletOnChain[], since: Date, until: Date | undefined) {
  const [wallets, chains] = [parts.map(({ wallet }) => wallet), parts.map(({ chain }) => chain)]
  const isIn = sql`
    wallet = any (${wallets}) and block_time >= ${since} and block_time < ${until ?? 'infinity'}::timestamptz
    and (wallet, chain) in (select * from unnest(${wallets}::text[], ${chains}::text[]))`
  const { rows } = await sql<Omit<StoredEntry, 'time'> & { block_time: Date }>`
    select wallet, chain, block, block_time, tx_index, hash, type, protocol, place, token, token_id, amount, counterparty,
      debt, leg, treatment, multiplier, price, selector = ${TRANSFER} and recipient = token as plain,
      coalesce(native.blocks @> block, false) as native_known
    from history_transaction as tx
    join history_movement as movement using (wallet, chain, block, tx_index)
    left join (select wallet, chain, blocks from wallet_coverage where purpose = 'native') as native using (wallet, chain)
    where ${isIn}
    union all
    select wallet, chain, block, block_time, null, null, null, null, 0, token, null, amount, null,
      debt, 0, kind, null, price, false, true
    from history_adjustment
    where ${isIn}
    order by block_time, chain, block, tx_index nulls last, wallet, place, token`.execute(db)
  return rows.map(({ block_time, ...row }) => ({ ...row, time: block_time.getTime() / 1000 }))
}

/** The wallet comes first; incomplete histories begin with `-`. */
export const keysOf = ({ parts, elsewhere }: ScopeParts): string[] => [
  ...parts.map(({ wallet, chain, version }) => `${wallet} ${chain} ${version}`),
  ...elsewhere.map(({ wallet, chain }) => `- ${wallet} ${chain}`),
]

export const chainGapsOf = ({ chain, keptFrom, replacedFrom }: Part): ChainGap[] => [
  ...(keptFrom === null ? [] : [{ chain, reason: 'pruned' as const, block: keptFrom }]),
  ...(replacedFrom === null ? [] : [{ chain, reason: 'replaced-chain' as const, block: replacedFrom }]),
]

export const walletsOf = ({ parts }: { parts: readonly WalletOnChain[] }): Address[] => [
  ...new Set(parts.map(({ wallet }) => wallet)),
]

export const gapKey = ({ wallet, chain, token }: { wallet: string; chain: string; token: string }): string =>
  `${wallet} ${chain} ${token}`

export type Computed = Omit<Accounted, 'method' | 'revision'> & {
  state: State
  days: readonly { day: string; state: State }[]
  results: readonly StoredResult[]
}

const selectAccounted = (db: Db, key: string) =>
  db.selectFrom('accounting').where('scope', '=', key).select(['method', 'seen', 'lacking', 'revision'])

function accountedOf(row: { method: string; seen: unknown; lacking: unknown; revision: bigint }): Accounted {
  return {
    method: row.method as State['method'],
    seen: new Map(Object.entries(row.seen as Record<string, string>)),
    lacking: row.lacking as TokenOnChain[],
    revision: row.revision,
  }
}

async function writeAccounted(trx: Trx, { key, method }: Scope, revision: bigint | undefined, computed: Computed) {
  const seen = JSON.stringify(Object.fromEntries(computed.seen))
  const state = JSON.stringify(stateToJson(computed.state))
  const lacking = JSON.stringify(computed.lacking)
  if (revision === undefined) {
    await sql`
      insert into accounting (scope, method, seen, state, lacking, computed_at)
      values (${key}, ${method}, ${seen}::jsonb, ${state}::jsonb, ${lacking}::jsonb, clock_timestamp())
      on conflict (scope) do update set method = excluded.method, seen = excluded.seen, state = excluded.state,
        lacking = excluded.lacking, computed_at = excluded.computed_at,
        revision = accounting.revision + 1`.execute(trx)
    return true
  }
  const { numAffectedRows } = await sql`
    update accounting
    set method = ${method}, seen = ${seen}::jsonb, state = ${state}::jsonb, lacking = ${lacking}::jsonb,
      computed_at = clock_timestamp(), revision = revision + 1
    where scope = ${key} and revision = ${revision}`.execute(trx)
  return numAffectedRows === 1n
}

const BATCH = 10_000

async function insertResults(trx: Trx, key: string, results: readonly StoredResult[]): Promise<void> {
  for (const rows of pagesOf(results, BATCH)) {
    const columns = { ...RESULT_KEY, place: 'integer', time: 'float8', costBasis: 'numeric', closedPnl: 'numeric' }
    await sql`
      insert into accounting_result (scope, wallet, chain, block, tx_index, place, at, cost_basis, closed_pnl)
      select ${key}, wallet, chain, block, tx_index, place, to_timestamp(time), "costBasis", "closedPnl"
      from ${rowTable('computed', columns, rows)}`.execute(trx)
  }
}
