import { z } from 'zod'
import { addressSchema } from '../deployment.ts'
import { gaugeMakers } from '../shared/gauges.ts'
import { voteEscrow } from '../shared/vote-escrow.ts'

const pool = z.strictObject({
  name: z.string().min(1),
  pool: addressSchema,
  token: addressSchema.optional(),
  gauge: addressSchema.optional(),
})

export const deployment = z.strictObject({
  registry: addressSchema.optional(),
  stableFactories: z.array(addressSchema).default([]),
  cryptoFactories: z.array(addressSchema).default([]),
  /** Base pools, and gauges that send the wallet nothing. */
  pools: z.array(pool).default([]),
  gauges: gaugeMakers.optional(),
  escrow: voteEscrow.optional(),
})

export type Deployment = z.infer<typeof deployment>
