import type { AccountTables } from './account-tables.ts'
import type { AddressBookTables } from './address-book-tables.ts'
import type { ApprovalTables } from './approval-tables.ts'
import type { EventTables } from './event-tables.ts'
import type { HistoryTables } from './history-tables.ts'
import type { PortalTables } from './portal-tables.ts'
import type { SecretTables } from './secret-tables.ts'
import type { SnapshotTables } from './snapshot-tables.ts'
import type { ValidatorTables } from './validator-tables.ts'
import type { VirtualUserTables } from './virtual-user-tables.ts'
import type { WalletTables } from './wallet-tables.ts'

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
