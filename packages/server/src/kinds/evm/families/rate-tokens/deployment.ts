import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** Views that answer what one whole unit of the token is worth. */
const RATES = ['getRate', 'exchangeRate', 'getExchangeRate', 'rate'] as const
/** Views that answer what an amount is worth, as the protocol would pay it. */
const CONVERSIONS = [
  'getEthValue',
  'getPooledAvaxByShares',
  'convertToAssets',
  'mETHToETH',
  'convertSnBnbToBnb',
] as const

const token = z.strictObject({
  token: addressSchema,
  label: z.string().min(1),
  /** What the rate is quoted in; the native coin if absent. It has as many decimals as the token. */
  underlying: addressSchema.optional(),
  /** `ratio`: Ankr's, tokens for one unit of the underlying. */
  view: z.enum([...RATES, ...CONVERSIONS, 'ratio']),
  /** The contract that knows the rate, if it is not the token. */
  provider: addressSchema.optional(),
  /** Of a rate. */
  decimals: z.int().min(0).max(36).default(18),
  /** A rate above this, or below one part in this many, is not believed. */
  most: z.int().min(2).default(4),
  /** A feed of its own prices it: it is shown as itself, so that a lost peg shows. */
  market: z.boolean().default(false),
  kind: z.enum(['staked', 'yield']).default('staked'),
})

/** Tokens of one protocol on one chain. */
export const deployment = z.strictObject({ tokens: z.array(token).min(1) })

export type Deployment = z.infer<typeof deployment>
export type RatedToken = z.infer<typeof token>
type Conversion = (typeof CONVERSIONS)[number]

export function isConversion(view: RatedToken['view']): view is Conversion {
  return CONVERSIONS.some((conversion) => conversion === view)
}
