import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** What a row says of Lido on a chain. */
export const deployment = z.strictObject({
  stEth: addressSchema,
  wstEth: addressSchema,
  /** Keeps stETH until there is coin for it, and issues an NFT for each request. */
  withdrawalQueue: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>
