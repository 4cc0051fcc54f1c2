import { z } from 'zod'
import { addressSchema } from '../deployment.ts'
import { gaugeMakers } from '../shared/gauges.ts'
import { voteEscrow } from '../shared/vote-escrow.ts'

const pool = z.strictObject({
  name: z.string().min(1),
  pool: addressSchema,
  /** Share of the pool; the pool itself unless given. */
  token: addressSchema.optional(),
  gauge: addressSchema.optional(),
})

export const deployment = z.strictObject({
  /** MetaRegistry: which pool a share is of. */
  registry: addressSchema.optional(),
  /** Factories whose pools are their own shares, by the view that says what they made. */
  stableFactories: z.array(addressSchema).default([]),
  cryptoFactories: z.array(addressSchema).default([]),
  /** Read without a log that leads to them: base pools, and gauges that send the wallet nothing. */
  pools: z.array(pool).default([]),
  gauges: gaugeMakers.optional(),
  escrow: voteEscrow.optional(),
})

export type Deployment = z.infer<typeof deployment>
