import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  /** Answer `isPT` and `isYT`. */
  yieldFactories: z.array(addressSchema).min(1),
  /** Answer `isValidMarket`. */
  marketFactories: z.array(addressSchema).min(1),
  oracle: addressSchema,
  routers: z.array(addressSchema).default([]),
  pendle: addressSchema,
  /** vePENDLE. */
  lock: addressSchema.optional(),
  /** sPENDLE. */
  stake: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>
