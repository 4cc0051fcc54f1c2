import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  comptroller: addressSchema,
  rewards: z
    .discriminatedUnion('scheme', [
      z.strictObject({ scheme: z.enum(['comp', 'venus']), token: addressSchema }),
      z.strictObject({ scheme: z.literal('moonwell'), distributor: addressSchema }),
    ])
    .optional(),
  /** Venus' stablecoin, minted against collateral: a debt of its own. */
  vai: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>
