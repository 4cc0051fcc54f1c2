import { keyEndpoints } from './keys.ts'
import { linkEndpoints } from './links.ts'
import { sessionEndpoints } from './session.ts'
import { usageEndpoints } from './usage.ts'

/** The portal's own endpoints: one line a subject. */
export const portalEndpoints = {
  ...sessionEndpoints,
  ...linkEndpoints,
  ...keyEndpoints,
  ...usageEndpoints,
}
