import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

const number = z.number().int().min(0)

export const deployment = z.strictObject({
  /** On HyperEVM. HyperCore's token 0 names another contract. */
  usdc: addressSchema,
  usdcGate: addressSchema,
  hype: number,
  /** Settlement token by exchange number. */
  collaterals: z.array(number).min(1),
  lent: z.array(number),
  /** HyperCore does not list the vaults of an account. */
  vaults: z.array(z.strictObject({ label: z.string().min(1), vault: addressSchema })),
})

export type Deployment = z.infer<typeof deployment>
