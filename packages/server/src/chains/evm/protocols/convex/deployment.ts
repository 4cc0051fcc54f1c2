import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

const booster = z.strictObject({
  address: addressSchema,
  /**
   * `silent`: Ethereum, where a pool logs its stakes. `vaults`: Aura, stakes are tokens. `side`: other chains, tokens
   * with a list of rewards.
   */
  layout: z.enum(['silent', 'vaults', 'side']),
})

const stake = z.strictObject({
  pool: addressSchema,
  token: addressSchema,
  wrapped: z.boolean().default(false),
  /** Token into which the pool converts its reward. */
  paid: addressSchema.optional(),
})

export const deployment = z.strictObject({
  boosters: z.array(booster).min(1),
  /** Minted along with a booster pool's reward. */
  bonus: addressSchema.optional(),
  /** Pools outside the boosters' lists, read for every wallet. */
  beside: z.array(stake).default([]),
  locker: z.strictObject({ address: addressSchema, token: addressSchema, boosted: z.boolean() }).optional(),
})

export type Deployment = z.infer<typeof deployment>
export type Booster = z.infer<typeof booster>
