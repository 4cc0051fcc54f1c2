import { z } from 'zod'
import { addressSchema } from '../deployment.ts'

/** Worth of one whole token. */
const RATES = ['getRate', 'exchangeRate', 'getExchangeRate', 'rate'] as const
/** Worth of an amount. */
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
  /** Has as many decimals as the token; defaults to the native coin. */
  underlying: addressSchema.optional(),
  /** `ratio` (Ankr): tokens per unit of the underlying. */
  view: z.enum([...RATES, ...CONVERSIONS, 'ratio']),
  provider: addressSchema.optional(),
  decimals: z.int().min(0).max(36).default(18),
  /** Rejects rates above this or below its inverse. */
  most: z.int().min(2).default(4),
  /** Priced by its own feed, so that a lost peg shows. */
  market: z.boolean().default(false),
  kind: z.enum(['staked', 'yield']).default('staked'),
})

export const deployment = z.strictObject({ tokens: z.array(token).min(1) })

export type Deployment = z.infer<typeof deployment>
export type RatedToken = z.infer<typeof token>
type Conversion = (typeof CONVERSIONS)[number]

export function isConversion(view: RatedToken['view']): view is Conversion {
  return CONVERSIONS.some((conversion) => conversion === view)
}
