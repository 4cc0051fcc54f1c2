import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { statements as accounts } from './0100-accounts.ts'
import { statements as credits } from './0101-credits.ts'
import { statements as secrets } from './0102-secrets.ts'
import { statements as addressBook } from './0103-address-book.ts'
import { statements as virtualUsers } from './0104-virtual-users.ts'
import { statements as catalog } from './0105-catalog.ts'
import { statements as wallets } from './0106-wallets.ts'
import { statements as approvals } from './0107-approvals.ts'
import { statements as transactions } from './0108-transactions.ts'
import { statements as accounting } from './0109-accounting.ts'
import { statements as snapshots } from './0110-snapshots.ts'
import { statements as validators } from './0111-beacon-validators.ts'
import { statements as portal } from './0112-portal.ts'
import { statements as events } from './0113-events.ts'
import { statements as rateWindows } from './0114-rate-windows.ts'
import { statements as accountingRuns } from './0115-accounting-runs.ts'

const run = (statements: string): Migration => ({ up: async (db) => void (await sql.raw(statements).execute(db)) })

/** A released migration is never edited or renamed. Before the first release, an edited one gets another name. */
export const migrations: Record<string, Migration> = {
  '0100-accounts': run(accounts),
  '0101-credits': run(credits),
  '0102-secrets': run(secrets),
  '0103-address-book': run(addressBook),
  '0104-virtual-users': run(virtualUsers),
  '0105-catalog': run(catalog),
  '0106-wallets': run(wallets),
  '0107-approvals': run(approvals),
  '0108-transactions': run(transactions),
  '0109-accounting': run(accounting),
  '0110-snapshots': run(snapshots),
  '0111-beacon-validators': run(validators),
  '0112-portal': run(portal),
  '0113-events': run(events),
  '0114-rate-windows': run(rateWindows),
  '0115-accounting-runs': run(accountingRuns),
}
