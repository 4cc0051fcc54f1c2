import { z } from 'zod'
import { decimalOrUnknown, decimalString, integerString } from '../decimal-string.ts'
import { defineEndpoints } from '../endpoint.ts'
import { own } from './requirement.ts'

/** More than any chain's key and any address has. */
const MOST_CHARS = 100
const AMOUNT = /^(0|[1-9]\d{0,59})(\.\d{1,80})?$/

const text = (what: string) =>
  z
    .string({ error: `must be ${what}` })
    .min(1, `must be ${what}`)
    .max(MOST_CHARS, 'is too long')

const moment = z.iso.datetime({ precision: 0 })

/**
 * One figure on the way from a token to USD. `feed`: one that is published; `oracle`: a contract that tells no time; `pool`: a
 * market on the chain; `markets`: a service that follows markets; `listing`: a service with prices of its own; `set`: the
 * operator.
 */
const step = z.object({
  kind: z.enum(['feed', 'oracle', 'pool', 'markets', 'listing', 'set']),
  /** The contract or account; null where none was read. */
  address: z.string().nullable(),
  /** Of `quote` for one unit, before fees; of USD, or of what the next step prices, where that is null. */
  rate: decimalString,
  quote: z.string().nullable(),
  block: integerString.nullable(),
  /** When the figure was published; null where the source gives no time. */
  time: moment.nullable(),
  /** Up to the time of the block. */
  ageSeconds: z.int().nullable(),
  heartbeatSeconds: z.int().nullable(),
  /** USD on the quote side of a pool. */
  depthUsd: decimalString.nullable(),
  feePercent: decimalString.nullable(),
})

/** A way in which a source can price the token; `refusal` says why it does not use it. */
const way = z.object({
  source: z.string(),
  usd: decimalString,
  /** From the way in use, or the worth of the parts, in per cent of that. */
  deviationPercent: decimalOrUnknown,
  refusal: z.enum(['stale', 'invalid', 'thin', 'strayed', 'unsellable']).nullable(),
  path: z.array(step),
})

const failure = z.enum(['timeout', 'unavailable', 'rate-limited', 'invalid', 'not-allowed', 'refused'])

/** A level and the rule that it follows from: docs/prices.md. */
const confidence = z.object({
  level: z.enum(['high', 'medium', 'low', 'none']),
  reason: z.enum([
    ...(['set-by-operator', 'fresh-feed', 'sources-agree', 'as-its-parts'] as const),
    ...(['deep-pool', 'oracle-without-time', 'one-service'] as const),
    ...(['sources-disagree', 'old-feed', 'thin-pool', 'unsure-service'] as const),
    ...([
      'spam',
      'source-failed',
      'stale-feed',
      'no-market',
      'strayed-pool',
      'unsure',
      'unknown',
      'not-a-token',
    ] as const),
  ]),
})

const token = z.object({ address: z.string(), symbol: z.string(), name: z.string(), isListed: z.boolean() })

const why = z.object({
  chain: z.string(),
  /** Null for what is no token, or could not be read. */
  token: token.nullable(),
  amount: decimalString,
  /** USD for one unit, where all of `amount` is sold at once. */
  price: decimalOrUnknown,
  /** As in answers about holdings. */
  source: z.string().nullable(),
  confidence,
  /** The way that the price was taken from; null without a price, and for what is worth its parts. */
  used: way.nullable(),
  /** All other ways, the usable ones first. */
  others: z.array(way),
  /** What one unit stands for. */
  parts: z.array(
    z.object({ token, amount: decimalString, price: decimalOrUnknown, source: z.string().nullable(), confidence }),
  ),
  /** Every source that the operator named, in his order. `invalid`: its answer cannot be used. */
  sources: z.array(z.object({ name: z.string(), outcome: z.enum(['answered', 'unknown', ...failure.options]) })),
  /** The block that was read; null where that failed. */
  block: integerString.nullable(),
  blockTime: moment.nullable(),
  readAt: moment,
  /** Something could not be read: a source did not answer, or there are more parts than are looked into. */
  isPartial: z.boolean(),
})
export type PriceWhyView = z.infer<typeof why>

export const priceEndpoints = defineEndpoints({
  explainPrice: {
    ...own,
    tag: 'Portfolio',
    method: 'GET',
    path: '/portal/api/accounts/:account/prices/why',
    summary: 'Say why a price is what it is',
    description: 'Reads what can price a token now, for up to eight seconds. What fails is named.',
    requires: { who: 'viewer', access: 'portfolio' },
    query: z.object({
      chain: text('the key of a chain'),
      token: text('the address of a token'),
      /** In token units: a pool pays less for more. */
      amount: z.string().regex(AMOUNT, 'must be a decimal amount').default('0'),
      /** The wallet that holds it: its own share of a pool is no market, and it must be able to sell. */
      holder: text('an address').optional(),
    }),
    response: why,
  },
})
