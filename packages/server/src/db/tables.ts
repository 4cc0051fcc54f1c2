import type { Kysely, Transaction } from 'kysely'
import type { AccountTables, AddressBookTables, SecretTables } from './account-tables.ts'
import type { EventTables } from './event-tables.ts'
import type { HistoryTables } from './history-tables.ts'
import type { PortalTables } from './portal-tables.ts'
import type { SnapshotTables, VirtualUserTables } from './snapshot-tables.ts'
import type { ValidatorTables } from './validator-tables.ts'
import type { ApprovalTables, WalletTables } from './wallet-tables.ts'

/** As `openDatabase` reads them: int8 is `bigint`, numeric and date are strings. */
export interface Tables
  extends AccountTables,
    AddressBookTables,
    ApprovalTables,
    EventTables,
    HistoryTables,
    PortalTables,
    SecretTables,
    SnapshotTables,
    ValidatorTables,
    VirtualUserTables,
    WalletTables {}

/** Also a transaction. */
export type Db = Kysely<Tables>
export type Trx = Transaction<Tables>
