import { addressBookEndpoints } from './address-book.ts'
import { airdropEndpoints } from './airdrops.ts'
import { approvalEndpoints } from './approvals.ts'
import { bundleEndpoints } from './bundles.ts'
import { chainEndpoints } from './chains.ts'
import { creditsEndpoints } from './credits.ts'
import { portfolioEndpoints } from './portfolio-endpoints.ts'
import { snapshotEndpoints } from './snapshots.ts'
import { transactionEndpoints } from './transactions.ts'
import { validatorEndpoints } from './validators.ts'
import { virtualUserEndpoints } from './virtual-users.ts'

/**
 * Every endpoint of the service: one line a resource, in the order of the reference. Server, OpenAPI, SDK and the conformance
 * suite all read this table.
 */
export const endpoints = {
  ...portfolioEndpoints,
  ...transactionEndpoints,
  ...snapshotEndpoints,
  ...airdropEndpoints,
  ...approvalEndpoints,
  ...virtualUserEndpoints,
  ...validatorEndpoints,
  ...addressBookEndpoints,
  ...bundleEndpoints,
  ...chainEndpoints,
  ...creditsEndpoints,
}
