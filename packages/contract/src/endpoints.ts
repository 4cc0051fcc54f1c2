import { type Addresses, shippedAddresses } from './address.ts'
import { addressBookEndpoints } from './address-book.ts'
import { airdropEndpoints } from './airdrops.ts'
import { approvalEndpoints } from './approvals.ts'
import { bundleEndpoints } from './bundles.ts'
import { chainEndpoints } from './chains.ts'
import { creditsEndpoints } from './credits.ts'
import { exportEndpoints, statementEndpoints } from './exports.ts'
import { portfolioEndpoints } from './portfolio-endpoints.ts'
import { snapshotEndpoints } from './snapshots.ts'
import { transactionEndpoints } from './transactions.ts'
import { validatorEndpoints } from './validators.ts'
import { virtualUserEndpoints } from './virtual-users.ts'
import { watchEndpoints } from './watches.ts'
import { webhookEndpoints } from './webhooks.ts'

/**
 * Every endpoint of a service that takes these addresses: one line a resource, in the order of the reference. Server,
 * OpenAPI, SDK and the conformance suite all read this table.
 */
export const createEndpoints = (addresses: Addresses) => ({
  ...portfolioEndpoints(addresses),
  ...transactionEndpoints(addresses),
  ...exportEndpoints(addresses),
  ...statementEndpoints(addresses),
  ...snapshotEndpoints(addresses),
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

/** Those of a service with the kinds of chains that ship with Coffer. */
export const endpoints = createEndpoints(shippedAddresses)
