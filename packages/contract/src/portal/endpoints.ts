import { portalAddressBookEndpoints } from './address-book.ts'
import { keyEndpoints } from './keys.ts'
import { ledgerEndpoints } from './ledger.ts'
import { linkEndpoints } from './links.ts'
import { memberEndpoints } from './members.ts'
import { openIdEndpoints } from './openid.ts'
import { operatorEndpoints } from './operator.ts'
import { pnlEndpoints } from './pnl.ts'
import { priceEndpoints } from './prices.ts'
import { quoteEndpoints } from './quotes.ts'
import { seriesEndpoints } from './series.ts'
import { sessionEndpoints } from './session.ts'
import { totpEndpoints } from './totp.ts'
import { usageEndpoints } from './usage.ts'
import { portalVirtualUserEndpoints } from './virtual-users.ts'
import { walletEndpoints } from './wallets.ts'

export const portalEndpoints = {
  ...sessionEndpoints,
  ...linkEndpoints,
  ...keyEndpoints,
  ...totpEndpoints,
  ...walletEndpoints,
  ...openIdEndpoints,
  ...memberEndpoints,
  ...usageEndpoints,
  ...ledgerEndpoints,
  ...priceEndpoints,
  ...quoteEndpoints,
  ...seriesEndpoints,
  ...pnlEndpoints,
  ...portalVirtualUserEndpoints,
  ...portalAddressBookEndpoints,
  ...operatorEndpoints,
}
