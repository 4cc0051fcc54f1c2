import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** Vaults of Symbiotic on one chain whose shares are a token. */
export const deployment = z.strictObject({ vaults: z.array(addressSchema).min(1) })

export type Deployment = z.infer<typeof deployment>
