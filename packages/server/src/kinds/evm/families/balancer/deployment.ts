import { z } from 'zod'
import { addressSchema } from '../deployment.ts'
import { gaugeMakers } from '../shared/gauges.ts'
import { voteEscrow } from '../shared/vote-escrow.ts'

export const deployment = z
  .strictObject({
    /** Vault of v2, and of its forks. */
    vault: addressSchema.optional(),
    /** BalancerQueries of v2: what pools of known factories would pay. */
    queries: addressSchema.optional(),
    /** Vault of v3. */
    vault3: addressSchema.optional(),
    /** Factories of pools, of both. Anyone may register a pool of their own at a vault. */
    factories: z.array(addressSchema).default([]),
    gauges: gaugeMakers.optional(),
    escrow: voteEscrow.optional(),
  })
  .refine(({ vault, vault3 }) => vault !== undefined || vault3 !== undefined, 'has no vault')

export type Deployment = z.infer<typeof deployment>
