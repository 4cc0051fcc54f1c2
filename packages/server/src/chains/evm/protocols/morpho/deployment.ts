import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

export const deployment = z.strictObject({
  blue: addressSchema,
  /** Answer `isMetaMorpho`. */
  vaultFactories: z.array(addressSchema).default([]),
  /** Answer `isVaultV2`. */
  vaultV2Factories: z.array(addressSchema).default([]),
  marketAdapterFactories: z.array(addressSchema).default([]),
  vaultAdapterFactories: z.array(addressSchema).default([]),
  /** Multicall contracts. */
  bundlers: z.array(addressSchema).default([]),
  /** Trusted: shares count in full. */
  vaults: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>
