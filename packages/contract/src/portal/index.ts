export { COST_METHODS, type CostMethod } from '../cost-methods.ts'
export { portalAddressBookEndpoints } from './address-book.ts'
export { ofAccount } from './data.ts'
export { portalEndpoints } from './endpoints.ts'
export { EVENTS_PATH, type LiveEvents } from './events.ts'
export { GRACE_HOURS, type KeyView, keyEndpoints } from './keys.ts'
export { type CreditsView, type LedgerView, ledgerEndpoints } from './ledger.ts'
export { linkEndpoints } from './links.ts'
export { memberEndpoints } from './members.ts'
export { openIdEndpoints } from './openid.ts'
export { type ChainNodes, operatorEndpoints, type QueueView } from './operator.ts'
export {
  type EarningsView,
  type LotGapView,
  type OpenLotsView,
  type PnlPeriodsView,
  type PnlUnit,
  pnlEndpoints,
  type SoldLotsView,
} from './pnl.ts'
export { type PriceWhyView, priceEndpoints } from './prices.ts'
export { type QuoteAsked, type QuoteView, quoteEndpoints } from './quotes.ts'
export { type PortalEndpoint, type PortalRequirement, ROLES, type Role, rowId } from './requirement.ts'
export { type SeriesView, seriesEndpoints } from './series.ts'
export { type SessionView, sessionEndpoints } from './session.ts'
export { totpEndpoints } from './totp.ts'
export { type UsageOutcome, type UsageView, usageEndpoints } from './usage.ts'
export {
  type BalancesView,
  type GivenBalance,
  portalVirtualUserEndpoints,
  type VirtualUserView,
} from './virtual-users.ts'
export { walletEndpoints } from './wallets.ts'
