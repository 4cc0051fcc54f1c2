import type {
  AccountTable,
  ApiKeyPepperTable,
  ApiKeyTable,
  CreditAccountTable,
  CreditEntryView,
  CreditViolationView,
} from './account-tables.ts'
import type {
  AddressBookEntryTable,
  BundleMemberTable,
  BundleTable,
  OwnerChallengeTable,
} from './address-book-tables.ts'
import type { ApprovalTable } from './approval-tables.ts'
import type {
  AccountingDayTable,
  AccountingResultTable,
  AccountingTable,
  HistoryAdjustmentTable,
  HistoryChangeTable,
  HistoryFollowTable,
  HistoryGapTable,
  HistoryMovementTable,
  HistorySetAsideTable,
  HistoryStateTable,
  HistorySyncTable,
  HistoryTokenAccountTable,
  HistoryTransactionTable,
  KnownBlockTable,
} from './history-tables.ts'
import type { SecretTable } from './secret-tables.ts'
import type {
  AccountSnapshotTable,
  SnapshotEarlyReadTable,
  SnapshotGapTable,
  SnapshotSubscriptionTable,
  WalletSnapshotTable,
} from './snapshot-tables.ts'
import type {
  RegistryChunkTable,
  ValidatorDepositTable,
  ValidatorRegistryTable,
  ValidatorRewardTable,
  ValidatorScanTable,
  ValidatorTable,
  ValidatorWithdrawalTable,
} from './validator-tables.ts'
import type {
  ExchangeLinkTable,
  VirtualBalanceChangeTable,
  VirtualUserReadTable,
  VirtualUserTable,
} from './virtual-user-tables.ts'
import type {
  ChainGenesisTable,
  InstrumentDiscoveryTable,
  InstrumentTable,
  RefusingTokenTable,
  TokenTable,
  WalletCoverageTable,
  WalletKeyTable,
  WalletProgramTable,
  WalletReadTable,
  WalletTokenTable,
  WalletUseTable,
} from './wallet-tables.ts'

/**
 * Every table the code queries, by its name in SQL. The columns are as `openDatabase` reads them: int8 is `bigint`,
 * numeric and date are strings, timestamptz is a `Date`.
 */
export interface Tables {
  account: AccountTable
  api_key: ApiKeyTable
  api_key_pepper: ApiKeyPepperTable
  credit_account: CreditAccountTable
  credit_entry: CreditEntryView
  credit_violation: CreditViolationView
  address_book_entry: AddressBookEntryTable
  bundle: BundleTable
  bundle_member: BundleMemberTable
  owner_challenge: OwnerChallengeTable
  secret: SecretTable
  snapshot_subscription: SnapshotSubscriptionTable
  wallet_snapshot: WalletSnapshotTable
  account_snapshot: AccountSnapshotTable
  snapshot_gap: SnapshotGapTable
  snapshot_early_read: SnapshotEarlyReadTable
  validator: ValidatorTable
  validator_epoch: ValidatorRewardTable
  validator_day: ValidatorRewardTable
  validator_withdrawal: ValidatorWithdrawalTable
  validator_deposit: ValidatorDepositTable
  validator_scan: ValidatorScanTable
  validator_registry: ValidatorRegistryTable
  registry_epoch: RegistryChunkTable
  registry_day: RegistryChunkTable
  virtual_user: VirtualUserTable
  virtual_balance_change: VirtualBalanceChangeTable
  exchange_link: ExchangeLinkTable
  virtual_user_read: VirtualUserReadTable
  approval: ApprovalTable
  accounting: AccountingTable
  accounting_day: AccountingDayTable
  accounting_result: AccountingResultTable
  history_adjustment: HistoryAdjustmentTable
  history_gap: HistoryGapTable
  history_change: HistoryChangeTable
  history_movement: HistoryMovementTable
  history_state: HistoryStateTable
  history_follow: HistoryFollowTable
  history_set_aside: HistorySetAsideTable
  history_sync: HistorySyncTable
  history_token_account: HistoryTokenAccountTable
  history_transaction: HistoryTransactionTable
  known_block: KnownBlockTable
  wallet_read: WalletReadTable
  wallet_coverage: WalletCoverageTable
  wallet_use: WalletUseTable
  token: TokenTable
  wallet_token: WalletTokenTable
  wallet_key: WalletKeyTable
  chain_genesis: ChainGenesisTable
  wallet_program: WalletProgramTable
  instrument: InstrumentTable
  instrument_discovery: InstrumentDiscoveryTable
  refusing_token: RefusingTokenTable
}
