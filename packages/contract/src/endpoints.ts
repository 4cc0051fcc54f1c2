import { type Addresses, shippedAddresses } from './address.ts'
import { addressBookEndpoints } from './address-book.ts'
import { airdropEndpoints } from './airdrops.ts'
import { approvalEndpoints } from './approvals.ts'
import { bundleEndpoints } from './bundles.ts'
import { chainEndpoints } from './chains.ts'
import { creditsEndpoints } from './credits.ts'
import { exportEndpoints, statementEndpoints } from './exports.ts'
import { portfolioEndpoints } from './portfolio-endpoints.ts'
import { portfolioSeriesEndpoints } from './portfolio-series.ts'
import { snapshotEndpoints } from './snapshots.ts'
import { transactionEndpoints } from './transactions.ts'
import { validatorEndpoints } from './validators.ts'
import { virtualUserEndpoints } from './virtual-users.ts'
import { watchEndpoints } from './watches.ts'
import { webhookEndpoints } from './webhooks.ts'

/** In the order of the reference. Server, OpenAPI, SDK and conformance suite read this table. */
export const createEndpoints = (addresses: Addresses) => ({
  ...portfolioEndpoints(addresses),
  ...transactionEndpoints(addresses),
  ...exportEndpoints(addresses),
  ...statementEndpoints(addresses),
  ...snapshotEndpoints(addresses),
  ...portfolioSeriesEndpoints(addresses),
  ...airdropEndpoints(addresses),
  ...approvalEndpoints(addresses),
  ...virtualUserEndpoints,
  ...validatorEndpoints,
  ...addressBookEndpoints(addresses),
  ...bundleEndpoints(addresses),
  ...webhookEndpoints,
  ...watchEndpoints(addresses),
  ...chainEndpoints,
  ...creditsEndpoints,
})

export const endpoints = createEndpoints(shippedAddresses)
