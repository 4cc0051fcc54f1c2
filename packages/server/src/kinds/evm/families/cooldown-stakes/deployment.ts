import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** Stakes of one protocol on one chain. */
export const deployment = z.strictObject({
  /**
   * What their contracts are like. `silo`: Ethena's sUSDe, which moves what is asked for into a silo until it may be taken.
   * `window`: Aave's stkAAVE, whose shares may be redeemed for some time after a cooldown. `plain`: its first version, as
   * stkWELL is. `umbrella`: Aave's Umbrella.
   */
  shape: z.enum(['silo', 'window', 'plain', 'umbrella']),
  stakes: z.array(addressSchema).min(1),
  /** Of `umbrella`: pays the rewards. */
  controller: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>
