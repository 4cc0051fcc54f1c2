import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** The number of a token, or of an exchange of perpetuals, on HyperCore. */
const number = z.number().int().min(0)

export const deployment = z.strictObject({
  /** USDC on HyperEVM; on HyperCore it is token 0, which names another contract. */
  usdc: addressSchema,
  /** The contract through which USDC passes between both. */
  usdcGate: addressSchema,
  /** The number of HYPE, which is the native coin of HyperEVM. */
  hype: number,
  /** The token in which each exchange of perpetuals is settled, by the number of the exchange. */
  collaterals: z.array(number).min(1),
  /** Tokens that accounts may lend or owe. */
  lent: z.array(number),
  /** Vaults that are looked into: HyperCore does not list those of an account. */
  vaults: z.array(z.strictObject({ label: z.string().min(1), vault: addressSchema })),
})

export type Deployment = z.infer<typeof deployment>
