import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  /** Connector that keeps accounts. */
  evc: addressSchema,
  /** Makes lending vaults; answers `isProxy`. */
  factory: addressSchema,
  /** Make vaults over vaults; answer `isVault`. */
  earnFactories: z.array(addressSchema).default([]),
  /** Vouch for vaults by `isVerified`: these count in full, even while less could be withdrawn. */
  perspectives: z.array(addressSchema).default([]),
  vaults: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>
