import { sql } from 'kysely'
import type { Db } from '../../src/db/tables.ts'
import { createAccount, updateAccount } from '../../src/features/accounts/accounts.ts'
import { createKey } from '../../src/features/keys/keys.ts'
import type { Peppers } from '../../src/features/keys/peppers.ts'
import type { Running } from './examination.ts'

export function databaseCallers(db: Db, peppers: Peppers): Running['newCaller'] {
  return async ({ rateLimits = {}, ...account }) => {
    const { id } = await createAccount(db, { name: 'caller', ...account })
    await updateAccount(db, id, { rateLimits })
    const { key } = await createKey(db, peppers, { accountId: id, name: 'key' })
    return {
      accountId: id,
      authorization: `Bearer ${key}`,
      async credits() {
        const { rows } = await sql<{ available: bigint; pending: bigint }>`
          select available, pending from credit_account where account_id = ${id}`.execute(db)
        const [row] = rows
        return { available: Number(row?.available), held: Number(row?.pending) }
      },
      async moves() {
        const { rows } = await sql<{ lines: bigint }>`
          select count(*) as lines from credit_line
          where account_id = ${id} and kind in ('charge', 'hold', 'post', 'void', 'refund')`.execute(db)
        return Number(rows[0]?.lines)
      },
    }
  }
}
