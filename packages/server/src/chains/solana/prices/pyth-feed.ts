import { type Decimal, decimal, fromRaw } from '../../../domain/decimal.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type AccountLayout, invalid, openAccount, type SolanaAccount } from '../codec/account-data.ts'
import { integerSeed, programAddress } from '../codec/address.ts'

/** `publishedAt`: Unix seconds. */
export type PythAnswer = { account: SolanaAddress; usd: Decimal; publishedAt: number }

/**
 * From Pyth's SDK: the first programs and those of the upgrade of 2026. The receiver owns the accounts and has verified
 * them.
 */
const GENERATIONS: readonly { oracle: SolanaAddress; receiver: SolanaAddress }[] = [
  {
    oracle: 'pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT',
    receiver: 'rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ',
  },
  {
    oracle: 'pyt2F414BA6dPttK6RddPZUdHfapoBN24GL5wbrPCou',
    receiver: 'rec2HHDDnjLfj4kE7VyEtFA1HPGQLK33259532cRyHp',
  },
]
/** Pyth keeps the first shard. */
const SHARD = 0
const SHARD_BYTES = 2

/** Published once a minute, or when the price moves by half a percent. */
export const HEARTBEAT_SECONDS = 60
const MAX_AGE_SECONDS = 5 * HEARTBEAT_SECONDS
/** The cluster's clock may lag. */
const MAX_AHEAD_SECONDS = 60
/** Maximum confidence interval: 1/50 of the price. */
const MIN_PRICE_OF_CONFIDENCE = 50n
/** Far beyond every exponent in use. */
const MAX_EXPONENT = 30

const VERIFIED_FULLY = 1
const LEVEL = 40
const FEED_ID = 41
const PRICE = 73
const CONFIDENCE = 81
const EXPONENT = 89
const PUBLISHED_AT = 93
const FEED_ID_BYTES = 32

/** `feedId`: 64 hexadecimal digits. */
export function feedAddresses(feedId: string): SolanaAddress[] {
  const seeds = [integerSeed(SHARD, SHARD_BYTES), feedBytes(feedId)]
  return GENERATIONS.map(({ oracle }) => programAddress(oracle, seeds))
}

/** Anyone can send SOL to the address. */
export function isPriceAccount({ owner }: SolanaAccount): boolean {
  return GENERATIONS.some(({ receiver }) => receiver === owner)
}

/** Throws `UpstreamError('invalid')`, also without signatures of two thirds of the guardians. `time`: Unix seconds. */
export function readPythAccount(account: SolanaAccount, feedId: string, time: number): PythAnswer {
  const data = openAccount(account, layout)
  const refused = (why: string) => invalid(layout.what, account.address, why)
  if (data.u8(LEVEL) !== VERIFIED_FULLY) throw refused('is not verified in full')
  const expected = feedBytes(feedId)
  const isOther = data.bytes(FEED_ID, FEED_ID_BYTES).some((byte, index) => byte !== expected[index])
  if (isOther) throw refused('is of another feed')
  const [price, confidence, exponent] = [data.i64(PRICE), data.u64(CONFIDENCE), data.i32(EXPONENT)]
  if (price <= 0n) throw refused('has a price that is not positive')
  if (Math.abs(exponent) > MAX_EXPONENT) throw refused(`has the exponent ${exponent}`)
  if (confidence * MIN_PRICE_OF_CONFIDENCE > price) throw refused('has too wide an interval')
  const age = BigInt(time) - data.i64(PUBLISHED_AT)
  if (age > MAX_AGE_SECONDS) throw refused('is stale')
  if (age < -MAX_AHEAD_SECONDS) throw refused('is from the future')
  return { account: account.address, usd: scaled(price, exponent), publishedAt: Number(data.i64(PUBLISHED_AT)) }
}

const layout: AccountLayout = {
  what: 'price of Pyth',
  programs: GENERATIONS.map(({ receiver }) => receiver),
  // Hash of `account:PriceUpdateV2`.
  discriminator: '6qysuKPhdDe',
  minLength: 133,
}

function scaled(price: bigint, exponent: number): Decimal {
  return exponent <= 0 ? fromRaw(price, -exponent) : decimal(price * 10n ** BigInt(exponent))
}

function feedBytes(feedId: string): Uint8Array {
  return Uint8Array.from({ length: FEED_ID_BYTES }, (_, index) =>
    Number.parseInt(feedId.slice(index * 2, index * 2 + 2), 16),
  )
}
