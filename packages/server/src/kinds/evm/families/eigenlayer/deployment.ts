import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** What a row says of EigenLayer on a chain. */
export const deployment = z.strictObject({
  delegationManager: addressSchema,
  strategyManager: addressSchema,
  eigenPodManager: addressSchema,
  rewardsCoordinator: addressSchema,
  /** Strategies whose tokens are priced ahead; others are read all the same. */
  strategies: z.array(addressSchema),
  /** Strategies over a token that stands behind another, one for one, in which they are paid: bEIGEN behind EIGEN. */
  wrapped: z.array(z.strictObject({ strategy: addressSchema, token: addressSchema })),
  /** Between two blocks; in which withdrawals are counted. */
  blockSeconds: z.int().positive(),
})

export type Deployment = z.infer<typeof deployment>
