import { sql } from 'kysely'
import { rowTable } from '../../../db/row-table.ts'
import type { Db, Trx } from '../../../db/tables.ts'
import type { State } from '../../../domain/accounting/state.ts'
import { type StatePart, stateOfParts } from '../../../domain/accounting/state-json.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { pagesOf } from '../../../lib/pages.ts'
import type { ChainGap } from '../../portfolio/wallet-figures.ts'
import type { CostContext, TokenOnChain } from '../context.ts'
import type { TransactionKey } from '../transactions/transaction-store.ts'
import { type Days, FIRST_DAY, walletGroups } from './stored-entries.ts'

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

type ScopeKey = { key: string; method: State['method'] }

export type Scope = ScopeParts & ScopeKey

/**
 * `seen`: last included change by `keysOf`. `lacking`: tokens without decimals. `next`: first day that is not computed
 * yet; null: nothing is left. `days`: those after which the state is stored.
 */
export type Accounted = {
  method: State['method']
  seen: ReadonlyMap<string, string>
  lacking: readonly TokenOnChain[]
  revision: bigint
  next: string | null
  days: readonly string[]
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

export async function findAccounted(db: Db, key: string): Promise<Accounted | undefined> {
  const { rows } = await sql<AccountedRow>`
    select method, seen, lacking, revision, next, days from accounting where scope = ${key}`.execute(db)
  return rows[0] && accountedOf(rows[0])
}

/** Without `seen`, which has every wallet of the scope. */
export async function findRevision(db: Db, key: string): Promise<bigint | undefined> {
  const row = await db.selectFrom('accounting').select('revision').where('scope', '=', key).executeTakeFirst()
  return row?.revision
}

/** `state`: of the wallets alone. */
export function findState(db: Db, key: string, wallets: readonly Address[]) {
  return withAccounted(db, key, async (trx, { method }) => ({ state: await stateAfter(trx, { key, method }, wallets) }))
}

/** Both are of one moment. */
export function withAccounted<T extends object>(db: Db, key: string, read: (trx: Trx, of: Accounted) => Promise<T>) {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const accounted = await findAccounted(trx, key)
    return accounted && { ...accounted, ...(await read(trx, accounted)) }
  })
}

/** After the last entry of the day. Figures without a wallet are included. */
export async function stateAfter(db: Db, { key, method }: ScopeKey, wallets: readonly Address[], day = 'infinity') {
  const { rows } = await sql<StatePart>`
    select distinct on (wallet, part) wallet, part, value from accounting_part
    where scope = ${key} and wallet = any (${['', ...wallets]}) and day <= ${day}::date
    order by wallet, part, day desc`.execute(db)
  return stateOfParts(method, rows)
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
    insert into accounting (scope, method, seen, next, leased_until, computed_at)
    values (${key}, ${method}, '{}', ${FIRST_DAY}, ${leaseEnd}, coffer_now())
    on conflict (scope) do update set leased_until = excluded.leased_until
      where accounting.leased_until is null or accounting.leased_until < excluded.computed_at
    returning method, seen, lacking, revision, next, days`.execute(db)
  return rows[0] && accountedOf(rows[0])
}

/** After a run that failed: others need not wait for the end of its lease. */
export async function endLease(db: Db, key: string, revision: bigint): Promise<void> {
  const ofRun = db.updateTable('accounting').where('scope', '=', key).where('revision', '=', revision)
  await ofRun.set({ leased_until: null }).execute()
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
  const { states, dropped, results } = computed
  const saving = db.transaction().execute(async (trx) => {
    // A run that outlived its lease waits here for the one that replaced it.
    const { rows: current } = await sql`
      select from accounting where scope = ${key} and revision = ${revision} for update`.execute(trx)
    if (current.length === 0) throw new Outdated()
    const end = until ?? 'infinity'
    await sql`delete from accounting_part where scope = ${key} and day >= ${since}::date and day < ${end}::date`.execute(
      trx,
    )
    await sql`
      delete from accounting_result
      where scope = ${key} and at >= ${since}::timestamptz and at < ${end}::timestamptz`.execute(trx)
    for (const { day, parts } of states) await insertParts(trx, key, day, parts)
    for (const { day, into } of dropped) await moveParts(trx, key, day, into)
    await insertResults(trx, key, results)
    await writeAccounted(trx, scope, until, computed)
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

export function findResults(db: Db, key: string, of: readonly TransactionKey[]) {
  return withAccounted(db, key, async (trx) => {
    const { rows: results } = await sql<Omit<StoredResult, 'time'>>`
      select wallet, chain, block, tx_index, place, cost_basis as "costBasis", closed_pnl as "closedPnl"
      from accounting_result join ${rowTable('listed', RESULT_KEY, of)} using (wallet, chain, block, tx_index)
      where scope = ${key}`.execute(trx)
    return { results }
  })
}

/** Keyed by `gapKey`. */
export async function findGaps(db: Db, wallets: readonly Address[]): Promise<ReadonlyMap<string, Gap>> {
  const found = new Map<string, Gap>()
  for (const group of walletGroups(wallets)) {
    const { rows } = await sql<Omit<Gap, 'amountRaw'> & { amount: string }>`
      select wallet, chain, token, min(block) as block, sum(amount)::text as amount from history_adjustment
      where wallet = any (${group}) and kind = 'gap'
      group by wallet, chain, token`.execute(db)
    for (const { amount, ...gap } of rows) found.set(gapKey(gap), { ...gap, amountRaw: BigInt(amount) })
  }
  return found
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

export const gapKey = ({ wallet, chain, token }: { wallet: string; chain: string; token: string }): string =>
  `${wallet} ${chain} ${token}`

/** `states`: of the page's days, each as its changes. `dropped`: earlier days whose states merge into a later one's. */
export type Computed = Pick<Accounted, 'seen' | 'lacking' | 'days'> & {
  states: readonly { day: string; parts: readonly StatePart[] }[]
  dropped: readonly { day: string; into: string }[]
  results: readonly StoredResult[]
}

type AccountedRow = {
  method: string
  seen: unknown
  lacking: unknown
  revision: bigint
  next: string | null
  days: string[]
}

function accountedOf(row: AccountedRow): Accounted {
  return {
    method: row.method as State['method'],
    seen: new Map(Object.entries(row.seen as Record<string, string>)),
    lacking: row.lacking as TokenOnChain[],
    revision: row.revision,
    next: row.next,
    days: row.days,
  }
}

async function writeAccounted(
  trx: Trx,
  { key, method }: Scope,
  next: string | null,
  { seen, lacking, days }: Computed,
): Promise<void> {
  await sql`
    update accounting
    set method = ${method}, seen = ${JSON.stringify(Object.fromEntries(seen))}::jsonb,
      lacking = ${JSON.stringify(lacking)}::jsonb, next = ${next}, days = ${days}::date[],
      computed_at = coffer_now(), revision = revision + 1,
      leased_until = ${next === null ? sql`null` : leaseEnd}
    where scope = ${key}`.execute(trx)
}

/** Some megabyte. */
const PARTS_AT_ONCE = 250

async function insertParts(trx: Trx, key: string, day: string, parts: readonly StatePart[]): Promise<void> {
  for (const page of pagesOf(parts, PARTS_AT_ONCE)) {
    const rows = page.map(({ wallet, part, value }) => ({ wallet, part, value: value && JSON.stringify(value) }))
    await sql`
      insert into accounting_part (scope, day, wallet, part, value)
      select ${key}, ${day}::date, wallet, part, value
      from ${rowTable('changed', { wallet: 'text', part: 'text', value: 'jsonb' }, rows)}`.execute(trx)
  }
}

/** Parts that changed again by then are replaced. */
async function moveParts(trx: Trx, key: string, day: string, into: string): Promise<void> {
  await sql`
    delete from accounting_part as part where scope = ${key} and day = ${day} and exists (
      select from accounting_part as later where later.scope = part.scope and later.wallet = part.wallet
        and later.part = part.part and later.day > ${day}::date and later.day <= ${into}::date)`.execute(trx)
  await sql`update accounting_part set day = ${into} where scope = ${key} and day = ${day}`.execute(trx)
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
