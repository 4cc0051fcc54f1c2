import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

const engine = z.strictObject({
  address: addressSchema,
  /** What it locks. */
  token: addressSchema,
  /** A token that it takes and gives as well, for another amount of what it locks. */
  alsoTaken: addressSchema.optional(),
  /** Contracts with the interface of Synthetix' StakingRewards in which what is locked earns. */
  farms: z.array(addressSchema).min(1),
})

/** Sky's staking engines on their chain. */
export const deployment = z.strictObject({
  engines: z.array(engine).min(1),
  /** What they lend. */
  lent: addressSchema,
})

export type Deployment = z.infer<typeof deployment>
export type Engine = z.infer<typeof engine>
