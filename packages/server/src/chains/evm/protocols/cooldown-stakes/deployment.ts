import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  /**
   * `silo`: Ethena's sUSDe, which moves requested assets into a silo. `window`: Aave's stkAAVE, redeemable for some
   * time after a cooldown. `plain`: its first version, as stkWELL. `umbrella`: Aave's Umbrella.
   */
  shape: z.enum(['silo', 'window', 'plain', 'umbrella']),
  stakes: z.array(addressSchema).min(1),
  controller: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>
