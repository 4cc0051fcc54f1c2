import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** What a row says of a comptroller. */
export const deployment = z.strictObject({
  comptroller: addressSchema,
  /**
   * The reward token of the comptroller, and the names of its claim and of its ledger of unclaimed amounts; or Moonwell's
   * distributor, which pays several tokens.
   */
  rewards: z
    .discriminatedUnion('scheme', [
      z.strictObject({ scheme: z.enum(['comp', 'venus']), token: addressSchema }),
      z.strictObject({ scheme: z.literal('moonwell'), distributor: addressSchema }),
    ])
    .optional(),
  /** Venus' stablecoin, where the comptroller lets wallets mint it against their collateral: a debt of its own. */
  vai: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>
