import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** Stakes of one protocol on one chain. */
export const deployment = z.strictObject({
  /**
   * What their contracts are like. `silo`: Ethena's sUSDe, which moves what is asked for into a silo until it may be taken.
   * `window`: Aave's stkAAVE, whose shares may be redeemed for some time after a cooldown.
   */
  shape: z.enum(['silo', 'window']),
  stakes: z.array(addressSchema).min(1),
})

export type Deployment = z.infer<typeof deployment>
