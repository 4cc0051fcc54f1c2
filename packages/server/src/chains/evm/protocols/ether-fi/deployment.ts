import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  eEth: addressSchema,
  weEth: addressSchema,
  liquidityPool: addressSchema,
  withdrawRequestNft: addressSchema,
  withdrawAdapter: addressSchema,
})

export type Deployment = z.infer<typeof deployment>
