import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** Pendle on one chain. Lists of factories name all versions that ever made something there. */
export const deployment = z.strictObject({
  /** Factories that answer `isPT` and `isYT`. */
  yieldFactories: z.array(addressSchema).min(1),
  /** Factories that answer `isValidMarket`. */
  marketFactories: z.array(addressSchema).min(1),
  /** Tells rates of PTs. */
  oracle: addressSchema,
  /** Contracts that wallets call to do several things at once. */
  routers: z.array(addressSchema).default([]),
  pendle: addressSchema,
  /** vePENDLE, where PENDLE was locked. */
  lock: addressSchema.optional(),
  /** sPENDLE. */
  stake: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>
