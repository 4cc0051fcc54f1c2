import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** What a row says of Rocket Pool on a chain. */
export const deployment = z.strictObject({
  /** RocketStorage, which names all other contracts and stays when they are replaced. */
  store: addressSchema,
  rpl: addressSchema,
})

export type Deployment = z.infer<typeof deployment>
