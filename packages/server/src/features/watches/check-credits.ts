import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import { decimal } from '../../domain/decimal.ts'
import { reportToAccounts } from '../events/outbox.ts'
import { isPast } from './judge-wallet.ts'
import { spelled } from './watch-store.ts'

type Watched = { id: string; account_id: bigint; is_past: boolean | null; threshold: string; rest: bigint }

/** Credits held by running calls count as left. */
export async function checkCredits(db: Db): Promise<void> {
  for (let last: string | undefined = FIRST; last !== undefined; ) last = await checkPage(db, last)
}

const FIRST = '00000000-0000-0000-0000-000000000000'
const AT_ONCE = 100

/** Returns the last of the page; undefined after the end. */
function checkPage(db: Db, after: string): Promise<string | undefined> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<Watched>`
      select watch.id, watch.account_id, is_past, threshold, available + pending as rest
      from watch join credit_account using (account_id) where type = 'credits' and watch.id > ${after}::uuid
      order by watch.id limit ${AT_ONCE} for no key update of watch`.execute(trx)
    if (rows.length === 0) return undefined
    const checked = rows.map((row) => {
      const limit = { isAbove: false, threshold: decimal(row.threshold), isPast: row.is_past }
      return { ...row, past: isPast(limit, decimal(row.rest)) }
    })
    await sql`
      update watch set is_past = checked.past, value = checked.rest, checked_at = coffer_now(), settled_at = coffer_now()
      from unnest(${checked.map(({ id }) => id)}::uuid[], ${checked.map(({ past }) => past)}::boolean[],
        ${checked.map(({ rest }) => rest.toString())}::numeric[]) as checked (id, past, rest)
      where watch.id = checked.id`.execute(trx)
    for (const { id, account_id, threshold, rest } of checked.filter(
      ({ past, is_past }) => past && is_past === false,
    )) {
      const data = { watchId: id, threshold: spelled(threshold), value: rest.toString() }
      await reportToAccounts(trx, 'credits.low', [account_id], [{ subject: 'credits', data }])
    }
    return rows.at(-1)?.id
  })
}
