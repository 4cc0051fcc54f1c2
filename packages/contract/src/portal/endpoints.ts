import { keyEndpoints } from './keys.ts'
import { linkEndpoints } from './links.ts'
import { memberEndpoints } from './members.ts'
import { sessionEndpoints } from './session.ts'
import { totpEndpoints } from './totp.ts'
import { walletEndpoints } from './wallets.ts'
import { usageEndpoints } from './usage.ts'

/** The portal's own endpoints: one line a subject. */
export const portalEndpoints = {
  ...sessionEndpoints,
  ...linkEndpoints,
  ...keyEndpoints,
  ...totpEndpoints,
  ...walletEndpoints,
  ...memberEndpoints,
  ...usageEndpoints,
}
