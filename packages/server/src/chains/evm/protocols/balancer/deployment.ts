import { z } from 'zod'
import { addressSchema } from '../deployment.ts'
import { gaugeMakers } from '../shared/gauges.ts'
import { voteEscrow } from '../shared/vote-escrow.ts'

export const deployment = z
  .strictObject({
    /** v2 and its forks. */
    vault: addressSchema.optional(),
    /** For pools of known factories. */
    queries: addressSchema.optional(),
    vault3: addressSchema.optional(),
    /** Anyone may register a pool of their own at a vault. */
    factories: z.array(addressSchema).default([]),
    gauges: gaugeMakers.optional(),
    escrow: voteEscrow.optional(),
  })
  .refine(({ vault, vault3 }) => vault !== undefined || vault3 !== undefined, 'has no vault')

export type Deployment = z.infer<typeof deployment>
