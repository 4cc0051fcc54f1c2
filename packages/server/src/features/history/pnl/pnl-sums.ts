import { sql } from 'kysely'
import type { Db } from '../../../db/tables.ts'
import { addSums, NO_SUMS, sumsOf, sumsSince } from '../../../domain/accounting/pnl.ts'
import type { Method } from '../../../domain/accounting/state.ts'
import { type StatePart, stateOfParts } from '../../../domain/accounting/state-json.ts'
import type { Address } from '../../../domain/address.ts'
import { startOfDay } from '../../../domain/day.ts'
import type { CostContext } from '../context.ts'
import { type Scope, withAccounted } from '../cost/accounting-store.ts'
import { resume, upToDate } from '../cost/cost-accounts.ts'
import { postUntil } from '../cost/replay.ts'
import type { PnlScopes } from './pnl.ts'

/** Between days (UTC), which ascend. Throws `StillComputing`. */
export async function sumsBetween(
  costContext: CostContext,
  accountId: string,
  { scopes }: PnlScopes,
  method: Method,
  days: readonly string[],
) {
  let reached = days.map(() => NO_SUMS)
  for (const { wallets } of scopes) {
    const [wallet = ''] = wallets
    const scope = await costContext.scopeOf(accountId, wallet, method)
    if (!scope) continue
    const { sums } = await upToDate(costContext, { accountId, wallet, scope }, () =>
      findSums(costContext, scope, wallets, days),
    )
    reached = reached.map((sum, i) => addSums(sum, sums[i] ?? NO_SUMS))
  }
  return reached.slice(1).map((after, i) => sumsSince(reached[i] ?? NO_SUMS, after))
}

/** Before each day. */
const findSums = (costContext: CostContext, scope: Scope, wallets: readonly Address[], days: readonly string[]) =>
  withAccounted(costContext.db, scope.key, async (trx, { days: stored }) => {
    const totals = await totalsBefore(trx, scope, wallets, days)
    const sums = days.map(async (day) => {
      const before = totals.get(day) ?? new Map()
      // Earlier months are stored after their last day, so that a first of a month needs no entries.
      const next = stored.find((each) => each >= day)
      const isStored = day.endsWith('-01') || next?.slice(0, 7) !== day.slice(0, 7)
      const since = stored.findLast((each) => each < day)
      const later = isStored ? [] : await totalsWithin({ ...costContext, db: trx }, scope, since, day)
      return sumsOf({ wallets: new Map([...before, ...later]) }, wallets)
    })
    return { sums: await Promise.all(sums) }
  })

async function totalsBefore(db: Db, { key, method }: Scope, wallets: readonly Address[], days: readonly string[]) {
  const { rows } = await sql<StatePart & { before: string }>`
    select before, wallet, '' as part, value
    from unnest(${days}::text[]) as before cross join unnest(${wallets}::text[]) as wallet cross join lateral (
      select value from accounting_part as part
      where scope = ${key} and part.wallet = wallet.wallet and part.part = '' and day < before::date
      order by day desc limit 1) as last`.execute(db)
  const byDay = Map.groupBy(rows, ({ before }) => before)
  return new Map([...byDay].map(([day, parts]) => [day, stateOfParts(method, parts).wallets]))
}

/** Only wallets with entries after `since`. */
async function totalsWithin(costContext: CostContext, scope: Scope, since: string | undefined, day: string) {
  const { working, pages } = await resume(costContext, scope, since)
  await postUntil(pages, working, startOfDay(day))
  return working.wallets
}
