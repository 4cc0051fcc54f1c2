import type { Migration } from 'kysely/migration'
import { up as accounts } from './0100-accounts.ts'
import { up as credits } from './0101-credits.ts'
import { up as secrets } from './0102-secrets.ts'
import { up as addressBook } from './0103-address-book.ts'
import { up as virtualUsers } from './0104-virtual-users.ts'
import { up as catalog } from './0105-catalog.ts'
import { up as wallets } from './0106-wallets.ts'
import { up as approvals } from './0107-approvals.ts'
import { up as transactions } from './0108-transactions.ts'
import { up as accounting } from './0109-accounting.ts'
import { up as snapshots } from './0110-snapshots.ts'
import { up as validators } from './0111-validators.ts'
import { up as portal } from './0112-portal.ts'
import { up as events } from './0113-events.ts'

/**
 * Every migration by its name, in the order of which they run. One that has shipped is never edited or renamed: a change is
 * a new migration.
 */
export const migrations: Record<string, Migration> = {
  '0100-accounts': { up: accounts },
  '0101-credits': { up: credits },
  '0102-secrets': { up: secrets },
  '0103-address-book': { up: addressBook },
  '0104-virtual-users': { up: virtualUsers },
  '0105-catalog': { up: catalog },
  '0106-wallets': { up: wallets },
  '0107-approvals': { up: approvals },
  '0108-transactions': { up: transactions },
  '0109-accounting': { up: accounting },
  '0110-snapshots': { up: snapshots },
  '0111-validators': { up: validators },
  '0112-portal': { up: portal },
  '0113-events': { up: events },
}
