import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

const booster = z.strictObject({
  address: addressSchema,
  /**
   * What stakes are: `silent` on Ethereum, where a pool logs them itself; `vaults` of Aura, which are tokens; `side` on
   * other chains, tokens with a list of rewards.
   */
  layout: z.enum(['silent', 'vaults', 'side']),
})

const stake = z.strictObject({
  pool: addressSchema,
  /** What is staked. */
  token: addressSchema,
  /** The stake is a token with a list of rewards. */
  wrapped: z.boolean().default(false),
  /** What the pool turns its reward into when it pays. */
  paid: addressSchema.optional(),
})

export const deployment = z.strictObject({
  boosters: z.array(booster).min(1),
  /** Minted beside the reward of a booster's pool. */
  bonus: addressSchema.optional(),
  /** Pools beside the boosters' lists, read for everybody. */
  beside: z.array(stake).default([]),
  locker: z.strictObject({ address: addressSchema, token: addressSchema, boosted: z.boolean() }).optional(),
})

export type Deployment = z.infer<typeof deployment>
export type Booster = z.infer<typeof booster>
