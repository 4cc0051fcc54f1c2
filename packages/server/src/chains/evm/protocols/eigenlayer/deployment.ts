import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  delegationManager: addressSchema,
  strategyManager: addressSchema,
  eigenPodManager: addressSchema,
  rewardsCoordinator: addressSchema,
  strategies: z.array(addressSchema),
  /** Strategies over a token that backs another one for one, in which they pay: bEIGEN backs EIGEN. */
  wrapped: z.array(z.strictObject({ strategy: addressSchema, token: addressSchema })),
  /** Withdrawals are counted in blocks. */
  blockSeconds: z.int().positive(),
})

export type Deployment = z.infer<typeof deployment>
