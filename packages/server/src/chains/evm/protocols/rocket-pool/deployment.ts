import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  /** RocketStorage: names all other contracts, and stays when they are replaced. */
  store: addressSchema,
  rpl: addressSchema,
})

export type Deployment = z.infer<typeof deployment>
