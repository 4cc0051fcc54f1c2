import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** Euler v2 on one chain. */
export const deployment = z.strictObject({
  /** The connector of all vaults, which keeps accounts. */
  evc: addressSchema,
  /** Makes lending vaults, and answers `isProxy`. */
  factory: addressSchema,
  /** Make vaults over vaults, and answer `isVault`. */
  earnFactories: z.array(addressSchema).default([]),
  /** Vouch for vaults by `isVerified`: these count in full, also while less could be taken out. */
  perspectives: z.array(addressSchema).default([]),
  /** Vaults that the row itself vouches for, in the same way. */
  vaults: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>
