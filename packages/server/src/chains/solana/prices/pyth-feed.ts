import { type Decimal, decimal, fromRaw } from '../../../domain/decimal.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { invalid, layout, readAccount, type SolanaAccount } from '../codec/account-data.ts'
import { integerSeed, programAddress } from '../codec/address.ts'

/** `publishedAt`: Unix seconds. */
export type PythAnswer = { account: SolanaAddress; usd: Decimal; publishedAt: number }

/** From Pyth's SDK, before and since the upgrade of 2026. The receiver owns the accounts and has verified them. */
const GENERATIONS: readonly { oracle: SolanaAddress; receiver: SolanaAddress }[] = [
  { oracle: 'pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT', receiver: 'rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ' },
  { oracle: 'pyt2F414BA6dPttK6RddPZUdHfapoBN24GL5wbrPCou', receiver: 'rec2HHDDnjLfj4kE7VyEtFA1HPGQLK33259532cRyHp' },
]
const SHARD = integerSeed(0, 2)

/** Published once a minute, or when the price moves by half a percent. */
export const HEARTBEAT_SECONDS = 60
const MAX_AGE_SECONDS = 5 * HEARTBEAT_SECONDS
/** The cluster's clock may lag. */
const MAX_AHEAD_SECONDS = 60
/** The interval is at most 1/50 of the price. */
const MIN_PRICE_OF_CONFIDENCE = 50n
/** Far beyond every exponent in use. */
const MAX_EXPONENT = 30

const VERIFIED_FULLY = 1
const FEED_ID_BYTES = 32

const FEED = layout(
  {
    what: 'price of Pyth',
    programs: GENERATIONS.map(({ receiver }) => receiver),
    // Hash of `account:PriceUpdateV2`.
    discriminator: '6qysuKPhdDe',
    minLength: 133,
  },
  {
    level: ['u8', 40],
    feed: ['bytes', 41, FEED_ID_BYTES],
    price: ['i64', 73],
    confidence: ['u64', 81],
    exponent: ['i32', 89],
    publishedAt: ['i64', 93],
  },
)

/** `feedId`: 64 hexadecimal digits. */
export function feedAddresses(feedId: string): SolanaAddress[] {
  return GENERATIONS.map(({ oracle }) => programAddress(oracle, [SHARD, feedBytes(feedId)]))
}

/** Anyone can send SOL to the address. */
export function isPriceAccount({ owner }: SolanaAccount): boolean {
  return GENERATIONS.some(({ receiver }) => receiver === owner)
}

/** Throws `UpstreamError('invalid')`, also without signatures of two thirds of the guardians. `time`: Unix seconds. */
export function readPythAccount(account: SolanaAccount, feedId: string, time: number): PythAnswer {
  const { address, level, feed, price, confidence, exponent, publishedAt } = readAccount(account, FEED)
  const refused = (why: string) => invalid(FEED.what, address, why)
  if (level !== VERIFIED_FULLY) throw refused('is not verified in full')
  if (Buffer.compare(feed, feedBytes(feedId)) !== 0) throw refused('is of another feed')
  if (price <= 0n) throw refused('has a price that is not positive')
  if (Math.abs(exponent) > MAX_EXPONENT) throw refused(`has the exponent ${exponent}`)
  if (confidence * MIN_PRICE_OF_CONFIDENCE > price) throw refused('has too wide an interval')
  const age = BigInt(time) - publishedAt
  if (age > MAX_AGE_SECONDS) throw refused('is stale')
  if (age < -MAX_AHEAD_SECONDS) throw refused('is from the future')
  const usd = exponent <= 0 ? fromRaw(price, -exponent) : decimal(price * 10n ** BigInt(exponent))
  return { account: address, usd, publishedAt: Number(publishedAt) }
}

function feedBytes(feedId: string): Uint8Array {
  return new Uint8Array(Buffer.from(feedId, 'hex'))
}
