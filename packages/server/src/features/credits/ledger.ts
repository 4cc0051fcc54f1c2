import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'

export type LedgerLine = {
  id: string
  at: string
  kind: string
  from: string
  to: string
  amount: number
  chargeId: string | null
  reference: string
}

export type Violation = { invariant: string; subject: string; detail: string }

const pageSize = 1000

/** Oldest first. */
export async function* ledgerLines(db: Kysely<Tables>, accountId: string): AsyncGenerator<LedgerLine> {
  let after = 0n
  for (;;) {
    const rows = await db
      .selectFrom('credit_entry')
      .selectAll()
      .where('account_id', '=', BigInt(accountId))
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageSize)
      .execute()
    for (const { id, at, kind, debit, credit, amount, charge_id, source_key } of rows) {
      yield {
        id: String(id),
        at: at.toISOString(),
        kind,
        from: debit,
        to: credit,
        amount: Number(amount),
        chargeId: charge_id === null ? null : String(charge_id),
        reference: source_key,
      }
      after = id
    }
    if (rows.length < pageSize) return
  }
}

export async function findViolations(db: Kysely<Tables>): Promise<Violation[]> {
  return db.selectFrom('credit_violation').selectAll().execute()
}
