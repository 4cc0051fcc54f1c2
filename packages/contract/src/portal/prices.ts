import { z } from 'zod'
import { decimalOrUnknown, decimalString, integerString } from '../decimal-string.ts'
import { defineEndpoints } from '../endpoint.ts'
import { own } from './requirement.ts'

/** Longer than any chain key or address. */
const MOST_CHARS = 100
const AMOUNT = /^(0|[1-9]\d{0,59})(\.\d{1,80})?$/

const text = (what: string) =>
  z
    .string({ error: `must be ${what}` })
    .min(1, `must be ${what}`)
    .max(MOST_CHARS, 'is too long')

const moment = z.iso.datetime({ precision: 0 })

/**
 * `feed`: published; `oracle`: a contract without times; `pool`: a market on the chain; `markets`: a service that
 * follows markets; `listing`: a service with its own prices; `set`: the operator.
 */
const step = z.object({
  kind: z.enum(['feed', 'oracle', 'pool', 'markets', 'listing', 'set']),
  /** Contract or account; null if none was read. */
  address: z.string().nullable(),
  /** In `quote` per unit, before fees. Without a `quote`: USD, or what the next step prices. */
  rate: decimalString,
  quote: z.string().nullable(),
  block: integerString.nullable(),
  /** Publication time; null if the source gives none. */
  time: moment.nullable(),
  /** At the time of the block. */
  ageSeconds: z.int().nullable(),
  heartbeatSeconds: z.int().nullable(),
  /** USD on the quote side of a pool. */
  depthUsd: decimalString.nullable(),
  feePercent: decimalString.nullable(),
})

/** `refusal`: why this way is not used. */
const way = z.object({
  source: z.string(),
  usd: decimalString,
  /** From the way in use, or from the worth of the parts, in percent of that. */
  deviationPercent: decimalOrUnknown,
  refusal: z.enum(['stale', 'invalid', 'thin', 'strayed', 'unsellable']).nullable(),
  path: z.array(step),
})

const failure = z.enum(['timeout', 'unavailable', 'rate-limited', 'invalid', 'not-allowed', 'refused'])

/** Rules: docs/prices.md. */
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
  /** Null: not a token, or unreadable. */
  token: token.nullable(),
  amount: decimalString,
  /** USD per unit, if all of `amount` is sold at once. */
  price: decimalOrUnknown,
  /** As in answers about holdings. */
  source: z.string().nullable(),
  confidence,
  /** Null without a price, and for what is worth its parts. */
  used: way.nullable(),
  /** The usable ones first. */
  others: z.array(way),
  /** Assets that one unit stands for. */
  parts: z.array(
    z.object({ token, amount: decimalString, price: decimalOrUnknown, source: z.string().nullable(), confidence }),
  ),
  /** Every source that the operator named, in that order. `invalid`: its answer cannot be used. */
  sources: z.array(z.object({ name: z.string(), outcome: z.enum(['answered', 'unknown', ...failure.options]) })),
  /** Null if the read failed. */
  block: integerString.nullable(),
  blockTime: moment.nullable(),
  readAt: moment,
  /** A source did not answer, or there are more parts than are read. */
  isPartial: z.boolean(),
})
export type PriceWhyView = z.infer<typeof why>

export const priceEndpoints = defineEndpoints({
  explainPrice: {
    ...own,
    tag: 'Portfolio',
    method: 'GET',
    path: '/portal/api/accounts/:account/prices/why',
    summary: 'Explain a price',
    description: 'Reads all sources that can price a token now, for up to eight seconds. Names failed sources.',
    requires: { who: 'viewer', access: 'portfolio' },
    query: z.object({
      chain: text('the key of a chain'),
      token: text('the address of a token'),
      /** In token units: a pool pays less for more. */
      amount: z.string().regex(AMOUNT, 'must be a decimal amount').default('0'),
      /** Its own share of a pool is no market, and it must be able to sell. */
      holder: text('an address').optional(),
    }),
    response: why,
  },
})
