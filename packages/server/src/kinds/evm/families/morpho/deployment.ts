import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** Morpho on one chain. Lists of factories name all versions that ever made something there. */
export const deployment = z.strictObject({
  /** Morpho Blue, which keeps all markets. */
  blue: addressSchema,
  /** Factories of vaults that answer `isMetaMorpho`. */
  vaultFactories: z.array(addressSchema).default([]),
  /** Factories of vaults that answer `isVaultV2`. */
  vaultV2Factories: z.array(addressSchema).default([]),
  /** Factories of the adapters through which vaults of the second version lend to markets, and to other vaults. */
  marketAdapterFactories: z.array(addressSchema).default([]),
  vaultAdapterFactories: z.array(addressSchema).default([]),
  /** Contracts that wallets call to do several things at once, and their adapters. */
  bundlers: z.array(addressSchema).default([]),
  /** Vaults that the row vouches for: worth what their shares convert to, also while less could be taken out. */
  vaults: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>
