import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  stEth: addressSchema,
  wstEth: addressSchema,
  withdrawalQueue: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>
