import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

const engine = z.strictObject({
  address: addressSchema,
  token: addressSchema,
  /** Accepted and returned for another amount of `token`. */
  alsoTaken: addressSchema.optional(),
  /** Synthetix' StakingRewards interface. */
  farms: z.array(addressSchema).min(1),
})

export const deployment = z.strictObject({
  engines: z.array(engine).min(1),
  lent: addressSchema,
})

export type Deployment = z.infer<typeof deployment>
export type Engine = z.infer<typeof engine>
