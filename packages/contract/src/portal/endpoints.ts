import { portalAddressBookEndpoints } from './address-book.ts'
import { keyEndpoints } from './keys.ts'
import { ledgerEndpoints } from './ledger.ts'
import { linkEndpoints } from './links.ts'
import { operatorEndpoints } from './operator.ts'
import { quoteEndpoints } from './quotes.ts'
import { seriesEndpoints } from './series.ts'
import { sessionEndpoints } from './session.ts'
import { usageEndpoints } from './usage.ts'
import { portalVirtualUserEndpoints } from './virtual-users.ts'

/** The portal's own endpoints: one line a subject. */
export const portalEndpoints = {
  ...sessionEndpoints,
  ...linkEndpoints,
  ...keyEndpoints,
  ...usageEndpoints,
  ...ledgerEndpoints,
  ...quoteEndpoints,
  ...seriesEndpoints,
  ...portalVirtualUserEndpoints,
  ...portalAddressBookEndpoints,
  ...operatorEndpoints,
}
