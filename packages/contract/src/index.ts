export {
  type Addresses,
  addressList,
  addressSchema,
  createAddresses,
  parseAddress,
  type WalletAddress,
} from './address.ts'
export { type AddressBookEntry, addressBookEndpoints, addressBookEntry } from './address-book.ts'
export { type AddressFamily, evmAddresses, savedAddresses, solanaAddresses } from './address-families.ts'
export { type AirdropAsset, type AirdropPosition, type Airdrops, airdropEndpoints, airdrops } from './airdrops.ts'
export { APPROVAL_CHAINS, type Approval, approval, approvalEndpoints } from './approvals.ts'
export { type Bundle, bundle, bundleEndpoints } from './bundles.ts'
export { type ChainItem, chain, chainEndpoints, type ProtocolItem, protocol } from './chains.ts'
export { compareDecimals } from './compare-decimals.ts'
export { creditsEndpoints } from './credits.ts'
export { type CsvField, csvHeader, csvLine } from './csv.ts'
export { dayQuery, isDay } from './date.ts'
export { decimalOrUnknown, decimalString, integerString } from './decimal-string.ts'
export {
  type AnyEndpoint,
  type Bucket,
  defineEndpoints,
  type Endpoint,
  type FileAnswer,
  type RequestOf,
  type Requirement,
  type ResponseOf,
} from './endpoint.ts'
export { createEndpoints, endpoints } from './endpoints.ts'
export { type ErrorStyle, Failure, type FailureCode, type FailureExtras, failures } from './errors.ts'
export { EVENT_KINDS, type EventData, type EventKind, eventMessages, eventStream } from './events.ts'
export {
  exportEndpoints,
  GAIN_FORMATS,
  type GainFormat,
  statementEndpoints,
  TRANSACTION_FORMATS,
  type TransactionFormat,
} from './exports.ts'
export { glossary } from './glossary.ts'
export { type JsonObject, jsonSchema } from './json-schema.ts'
export {
  type AsOf,
  asOf,
  type IncompleteItem,
  type IncompleteReason,
  incompleteItem,
  incompleteReason,
  NAV_CURRENCIES,
  type NavCurrency,
  type NestedPosition,
  nav,
  type PnlIncompleteItem,
  type PnlReason,
  type Portfolio,
  type PortfolioAsset,
  type PortfolioProtocol,
  type PositionGroup,
  type PositionType,
  pnlIncompleteItem,
  pnlIncompleteReason,
  pnlReason,
  portfolio,
  portfolioAsset,
  positionType,
  type SyncProgress,
  syncAction,
  syncState,
  syncStatus,
  type WalletView,
  walletView,
} from './portfolio.ts'
export { portfolioEndpoints } from './portfolio-endpoints.ts'
export {
  type PortfolioSeries,
  portfolioSeries,
  portfolioSeriesEndpoints,
  type SeriesSpan,
  seriesTimes,
} from './portfolio-series.ts'
export { booleanQuery, choiceQuery, integerQuery, pageQuery, pagination } from './query.ts'
export {
  SNAPSHOT_YEAR_CREDITS,
  type SnapshotSubscription,
  snapshotEndpoints,
  snapshotSubscription,
  type TokenOverviewItem,
  tokenOverviewItem,
} from './snapshots.ts'
export { text } from './text.ts'
export {
  TRANSACTION_TYPES,
  type Transaction,
  type TransactionAsset,
  transaction,
  transactionAsset,
  transactionCoverage,
  transactionEndpoints,
} from './transactions.ts'
export {
  LONGEST_REWARD_RANGE,
  type ValidatorDeposit,
  type ValidatorDetails,
  type ValidatorRewardSummary,
  type ValidatorWithdrawal,
  validatorByIndex,
  validatorByPubkey,
  validatorDeposit,
  validatorDetails,
  validatorEndpoints,
  validatorRewardSummary,
  validatorWithdrawal,
} from './validators.ts'
export {
  type VirtualAddress,
  type VirtualUserType,
  virtualUser,
  virtualUserEndpoints,
  virtualUserType,
} from './virtual-users.ts'
export {
  type NewWatch,
  newWatch,
  type Watch,
  type WatchGap,
  type WatchType,
  watchEndpoints,
} from './watches.ts'
export { SECRET_GRACE_HOURS, type Webhook, type WebhookDelivery, webhookEndpoints } from './webhooks.ts'
