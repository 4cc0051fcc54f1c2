import { type RawBuilder, sql } from 'kysely'
import { type CoveragePurpose, READ_AGAIN } from '../../db/coverage.ts'
import { inParts } from '../../db/in-parts.ts'
import { LOCKS, lockTexts } from '../../db/locks.ts'
import type { Db, Trx } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { Logger } from '../../lib/logger.ts'
import { closeDays } from '../credits/close-days.ts'
import { scopeKeysOf } from '../history/cost/scopes.ts'
import { pruneChanges } from '../history/store/history-changes.ts'
import type { Module, Ports } from '../module.ts'

const JOB = { name: 'retention', options: { retryLimit: 0, limitSeconds: 3_600 }, everySeconds: 6 * 3_600 }

type Retention = { db: Db; days: number; log: { info: Logger['info'] } }

type OwnPorts = Ports & { config: { retentionDays: number | null } }

export function retentionModule({ config: { retentionDays: days }, database: { db }, logger: log }: OwnPorts) {
  const handler = async (signal: AbortSignal) => {
    await pruneChanges(db, signal)
    if (days === null) return
    await forgetUnasked({ db, days, log }, signal)
    await closeDays({ db, days, log }, signal)
  }
  return { jobs: [{ ...JOB, handler }] } satisfies Module
}

const READ_TABLES = [
  'wallet_read',
  'wallet_token',
  'wallet_due_contract',
  'wallet_key',
  'wallet_program',
  'approval',
  'snapshot_early_read',
  'wallet_point',
] as const
const isReadAgain = sql<boolean>`purpose = any (${READ_AGAIN})`

/** Keeps locks short. */
const WALLETS_AT_ONCE = 20
const PAGE = 1_000

const today = sql`(coffer_now() at time zone 'UTC')::date`

const isOld = (days: number) => sql<boolean>`used_on < ${today} - ${days}::integer`

/** Keeps results that an account paid for or saved. Saved, subscribed and followed wallets count as requested. */
export async function forgetUnasked({ db, days, log }: Retention, signal: AbortSignal): Promise<number> {
  await adopt(db, signal)
  let forgotten = 0
  for (;;) {
    signal.throwIfAborted()
    const { looked, unasked } = await nextUnasked(db, days)
    if (unasked.length > 0) {
      await db.transaction().execute((trx) => forgetReads(trx, days, unasked))
      await forgetComputed(db, signal, unasked)
      // Last, so that interrupted work is repeated.
      await sql`delete from wallet_use where wallet = any (${unasked}) and ${isOld(days)}`.execute(db)
      forgotten += unasked.length
    }
    if (looked < WALLETS_AT_ONCE) break
  }
  if (forgotten > 0) log.info({ wallets: forgotten, days }, 'deleted cached data of wallets that are not requested')
  return forgotten
}

async function adopt(db: Db, signal: AbortSignal): Promise<void> {
  for (const table of READ_TABLES) await adoptPages(db, signal, sql.table(table), sql`wallet`, sql`wallet`)
  await adoptPages(db, signal, sql`wallet_coverage`, sql`wallet`, sql`wallet`, isReadAgain)
  await adoptPages(db, signal, sql`accounting`, sql`scope`, sql`split_part(scope, ' ', 2)`, sql`scope like 'wallet %'`)
}

async function adoptPages(
  db: Db,
  signal: AbortSignal,
  table: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  wallet: RawBuilder<unknown>,
  where: RawBuilder<unknown> = sql`true`,
): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    signal.throwIfAborted()
    const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
      with page as (select distinct ${key} as key, ${wallet} as wallet from ${table}
          where ${key} > ${after} and ${where} order by 1 limit ${PAGE}),
        adopted as (insert into wallet_use (wallet, used_on) select distinct wallet, ${today} from page
          on conflict do nothing)
      select max(key) as last from page`.execute(db)
    after = rows[0]?.last ?? null
  }
}

/** Wallets that count as requested get a new day. */
async function nextUnasked(db: Db, days: number): Promise<{ looked: number; unasked: Address[] }> {
  const { rows: old } = await sql<{ wallet: Address }>`
    select wallet from wallet_use where ${isOld(days)} order by used_on, wallet limit ${WALLETS_AT_ONCE}`.execute(db)
  const wallets = old.map(({ wallet }) => wallet)
  const { rows: kept } = await sql<{ wallet: Address }>`
    select wallet from wallet_read
    where wallet = any (${wallets}) and (read_at at time zone 'UTC')::date >= ${today} - ${days}::integer
    union select wallet from history_sync
    where wallet = any (${wallets}) and (requested_at > coffer_now() - make_interval(days => ${days}) or state = 'running')
    union select address from address_book_entry where address = any (${wallets})
    union select address from snapshot_subscription
    where address = any (${wallets}) and expires_at > coffer_now()`.execute(db)
  const isKept = new Set(kept.map(({ wallet }) => wallet))
  await sql`update wallet_use set used_on = ${today} where wallet = any (${[...isKept]})`.execute(db)
  return { looked: wallets.length, unasked: wallets.filter((wallet) => !isKept.has(wallet)) }
}

/** The searches' locks: no range stays covered without its results. */
async function forgetReads(trx: Trx, days: number, unasked: readonly Address[]): Promise<void> {
  const { rows: searched } = await sql<{ purpose: CoveragePurpose; chain: string; wallet: string }>`
    select purpose, chain, wallet from wallet_coverage where wallet = any (${unasked}) and ${isReadAgain}`.execute(trx)
  const locks = searched.map(({ purpose, chain, wallet }) => LOCKS.coverage(purpose, chain, wallet))
  await lockTexts(trx, locks)
  // It locks them. Wallets requested meanwhile stay.
  const { rows } = await sql<{ wallet: Address }>`
    update wallet_use set used_on = used_on where wallet = any (${unasked}) and ${isOld(days)} returning wallet`.execute(
    trx,
  )
  const wallets = rows.map(({ wallet }) => wallet)
  for (const table of READ_TABLES) {
    await sql`delete from ${sql.table(table)} where wallet = any (${wallets})`.execute(trx)
  }
  await sql`delete from wallet_coverage where wallet = any (${wallets}) and ${isReadAgain}`.execute(trx)
  await sql`delete from accounting where scope = any (${wallets.flatMap(scopeKeysOf)})`.execute(trx)
}

/** Within a scope. */
const COMPUTED = {
  accounting_result: sql`wallet, chain, block, tx_index, place`,
  accounting_part: sql`wallet, part, day`,
} as const

/** A concurrent run stores its scope with them. */
async function forgetComputed(db: Db, signal: AbortSignal, unasked: readonly Address[]): Promise<void> {
  for (const scope of unasked.flatMap(scopeKeysOf)) {
    for (const [name, key] of Object.entries(COMPUTED)) {
      const table = sql.table(name)
      await inParts((limit) => {
        signal.throwIfAborted()
        return sql`
          delete from ${table} where scope = ${scope}
            and (${key}) in (select ${key} from ${table} where scope = ${scope} limit ${limit})
            and not exists (select from accounting where scope = ${scope})`.execute(db)
      })
    }
  }
}
