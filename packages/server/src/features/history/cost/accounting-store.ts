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
import type { CostContext, TokenOnChain } from '../context.ts'
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

/**
 * `seen`: last included change by `keysOf`. `lacking`: tokens without decimals. `next`: first day that is not computed
 * yet; null: nothing is left.
 */
export type Accounted = {
  method: State['method']
  seen: ReadonlyMap<string, string>
  lacking: readonly TokenOnChain[]
  revision: bigint
  next: string | null
}

/** Whole days (UTC), `until` exclusive; null: to the end. */
export type Days = { since: string; until: string | null }

/** Balance less movements, in base units. `block`: where they first differed. */
export type Gap = TokenOnChain & { wallet: Address; block: bigint; amountRaw: bigint }

/** USD; null: unknown. `time` in Unix seconds. */
export type StoredResult = TransactionKey & {
  place: number
  time: number
  costBasis: string | null
  closedPnl: string | null
}

/** Some ten megabytes. A run commits as often. */
const ENTRIES_AT_ONCE = 10_000

export const FIRST_DAY = '0001-01-01'

/** Whole days, about `most` transactions at a time; the last page may be empty. The next run includes changes made meanwhile. */
export async function* storedEntries(
  db: Db,
  parts: readonly WalletOnChain[],
  from = FIRST_DAY,
  most = ENTRIES_AT_ONCE,
): AsyncGenerator<Days & { entries: StoredEntry[] }, void, undefined> {
  const wallets = walletsOf({ parts })
  for (let since: string | null = from; since !== null; ) {
    const until = await endOfPage(db, wallets, since, most)
    yield { since, until, entries: await entriesBetween(db, parts, { since, until }) }
    since = until
  }
}

export async function findAccounted(db: Db, key: string): Promise<Accounted | undefined> {
  const row = await selectAccounted(db, key).executeTakeFirst()
  return row && accountedOf(row)
}

export async function findState(db: Db, key: string): Promise<(Accounted & { state: State }) | undefined> {
  const row = await selectAccounted(db, key).select('state').where('next', 'is', null).executeTakeFirst()
  return row && { ...accountedOf(row), state: stateFromJson(row.state as unknown as StateJson) }
}

/** A killed run ends its lease in half a minute. A page of entries takes some seconds. */
const leaseEnd = sql`coffer_now() + interval '30 s'`

/** undefined: another run has the lease. `saveComputed` prolongs it, and ends it after the last page. */
export async function leaseAccounted(db: Db, { key, method }: Scope): Promise<Accounted | undefined> {
  // The insert would wait for a run that commits.
  const { rows: held } = await sql`
    select from accounting where scope = ${key} and leased_until >= coffer_now()`.execute(db)
  if (held.length > 0) return undefined
  const { rows } = await sql<AccountedRow>`
    insert into accounting (scope, method, seen, state, next, leased_until, computed_at)
    values (${key}, ${method}, '{}', '{}', ${FIRST_DAY}, ${leaseEnd}, coffer_now())
    on conflict (scope) do update set leased_until = excluded.leased_until
      where accounting.leased_until is null or accounting.leased_until < coffer_now()
    returning method, seen, lacking, revision, next`.execute(db)
  return rows[0] && accountedOf(rows[0])
}

/** After a run that failed: others need not wait for the end of its lease. */
export async function endLease(db: Db, key: string, revision: bigint): Promise<void> {
  const ofRun = db.updateTable('accounting').where('scope', '=', key).where('revision', '=', revision)
  await ofRun.set({ leased_until: null }).execute()
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

/** Returns false and writes nothing if `revision` is outdated. Increments it. */
export async function saveComputed(
  { db, statistics }: CostContext,
  scope: Scope,
  revision: bigint,
  { since, until }: Days,
  computed: Computed,
): Promise<boolean> {
  const { key } = scope
  const { days, dropped, results } = computed
  const saving = db.transaction().execute(async (trx) => {
    await sql`delete from accounting_day where scope = ${key} and (day >= ${since} or day = any (${dropped}))`.execute(
      trx,
    )
    await sql`
      delete from accounting_result where scope = ${key} and at >= ${since}::date and at < ${until ?? 'infinity'}::date`.execute(
      trx,
    )
    for (const { day, state } of days) {
      await sql`
        insert into accounting_day (scope, day, state)
        values (${key}, ${day}, ${JSON.stringify(stateToJson(state))}::jsonb)`.execute(trx)
    }
    await insertResults(trx, key, results)
    // Last, so that others wait for its lock only until the commit.
    if (!(await writeAccounted(trx, scope, revision, until, computed))) throw new Outdated()
  })
  const isSaved = await saving.then(
    () => true,
    (thrown: unknown) => {
      if (thrown instanceof Outdated) return false
      throw thrown
    },
  )
  if (isSaved) await statistics.noteAdded(results.length)
  return isSaved
}

/** Rolls a transaction back. */
class Outdated extends Error {
  override readonly name = 'Outdated'
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

/** null: all remaining entries fit. */
async function endOfPage(db: Db, wallets: readonly Address[], since: string, most: number): Promise<string | null> {
  const full = (table: string) => sql`
    (select block_time from ${sql.table(table)} where wallet = any (${wallets}) and block_time >= ${since}::date
      order by block_time offset ${most - 1} limit 1)`
  const { rows } = await sql<{ at: Date | null }>`
    select min(block_time) as at
    from (${full('history_transaction')} union all ${full('history_adjustment')}) as full_at`.execute(db)
  const at = rows[0]?.at
  return at ? nextDay(dayOf(at.getTime() / 1_000)) : null
}

/** ERC-20 `transfer`. */
const TRANSFER = '0xa9059cbb'

async function entriesBetween(db: Db, parts: readonly WalletOnChain[], { since, until }: Days) {
  const [wallets, chains] = [parts.map(({ wallet }) => wallet), parts.map(({ chain }) => chain)]
  const isIn = sql`
    wallet = any (${wallets}) and block_time >= ${since}::date and block_time < ${until ?? 'infinity'}::date
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

/** `dropped`: days of earlier pages whose states are no longer kept. */
export type Computed = Pick<Accounted, 'seen' | 'lacking'> & {
  state: State
  days: readonly { day: string; state: State }[]
  dropped: readonly string[]
  results: readonly StoredResult[]
}

const selectAccounted = (db: Db, key: string) =>
  db.selectFrom('accounting').where('scope', '=', key).select(['method', 'seen', 'lacking', 'revision', 'next'])

type AccountedRow = { method: string; seen: unknown; lacking: unknown; revision: bigint; next: string | null }

function accountedOf(row: AccountedRow): Accounted {
  return {
    method: row.method as State['method'],
    seen: new Map(Object.entries(row.seen as Record<string, string>)),
    lacking: row.lacking as TokenOnChain[],
    revision: row.revision,
    next: row.next,
  }
}

/** A run that is not at its end leaves the last complete state. */
async function writeAccounted(
  trx: Trx,
  { key, method }: Scope,
  revision: bigint,
  next: string | null,
  { seen, lacking, state }: Computed,
): Promise<boolean> {
  const end =
    next === null
      ? sql`state = ${JSON.stringify(stateToJson(state))}::jsonb, leased_until = null`
      : sql`leased_until = ${leaseEnd}`
  const { numAffectedRows } = await sql`
    update accounting
    set method = ${method}, seen = ${JSON.stringify(Object.fromEntries(seen))}::jsonb,
      lacking = ${JSON.stringify(lacking)}::jsonb, next = ${next}, computed_at = clock_timestamp(),
      revision = revision + 1, ${end}
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
      from ${rowTable('computed', columns, rows)}
      on conflict (scope, wallet, chain, block, tx_index, place)
        do update set at = excluded.at, cost_basis = excluded.cost_basis, closed_pnl = excluded.closed_pnl`.execute(trx)
  }
}
