import { type AccountData, anchorLayout, invalid } from '../codec/account-data.ts'
import { dividedUp } from './amounts.ts'

export const KAMINO_LEND = 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD'

/** Offsets of version 8 of the SDK. `…Sf`: times 2^60. */
const field = {
  version: 8,
  lastSlot: 16,
  mint: 128,
  available: 224,
  borrowedSf: 232,
  priceSf: 248,
  decimals: 272,
  cumulativeRate: 296,
  protocolFeesSf: 344,
  referrerFeesSf: 360,
  pendingReferrerFeesSf: 376,
  collateralSupply: 2592,
  hostRateBps: 4858,
  takeRatePct: 4870,
  liquidationThresholdPct: 4873,
  /** Eleven points of two u32: utilisation and rate, in basis points. */
  curve: 4920,
  borrowFactorPct: 5008,
  /** Twenty u8; 0 for no group. */
  elevationGroups: 5480,
} as const

const CURVE_POINTS = 11
const RESERVE_GROUPS = 20
const RESERVE_VERSION = 1n

export const RESERVE = anchorLayout('reserve of Kamino', KAMINO_LEND, '8MMas8GHex6', 8624)

const FRACTION_BITS = 60n
/** More bits, so that a payout is rounded only once. */
const RATE_BITS = 160n
const ONE = 1n << RATE_BITS
const FULL_BPS = 10_000n
/** The program's year: two slots a second. */
const SLOTS_PER_YEAR = 63_072_000n

export type KaminoReserve = {
  mint: string
  decimals: number
  /** USD of a whole token, times 2^60, at the last refresh. */
  priceSf: bigint
  liquidationThresholdPct: number
  borrowFactorPct: bigint
  elevationGroups: ReadonlySet<number>
  /** Rounded down. */
  redeemed(collateral: bigint): bigint
  /** Rounded up. */
  owed(debt: { amountSf: bigint; cumulativeRate: bigint }): bigint
}

/**
 * Accrues like the program: the rate of the last refresh, compounded by the first terms of the binomial series. Fees
 * are taken from the new interest only.
 */
export function kaminoReserve(data: AccountData, slot: bigint): KaminoReserve {
  if (data.u64(field.version) !== RESERVE_VERSION) {
    throw invalid(RESERVE.what, data.address, `has version ${data.u64(field.version)}`)
  }
  const growth = growthOf(data, slot)
  const supplySf = supplyAfter(data, growth)
  const collateralSupply = data.u64(field.collateralSupply)
  const rate = (data.u256(field.cumulativeRate) * growth.all) >> RATE_BITS
  return {
    mint: data.key(field.mint),
    decimals: Number(data.u64(field.decimals)),
    priceSf: data.u128(field.priceSf),
    liquidationThresholdPct: data.u8(field.liquidationThresholdPct),
    borrowFactorPct: data.u64(field.borrowFactorPct),
    elevationGroups: new Set(data.bytes(field.elevationGroups, RESERVE_GROUPS)),
    redeemed: (collateral) =>
      collateralSupply === 0n || supplySf === 0n
        ? collateral
        : (collateral * supplySf) / (collateralSupply << FRACTION_BITS),
    owed: ({ amountSf, cumulativeRate }) =>
      cumulativeRate === 0n ? 0n : dividedUp(amountSf * rate, cumulativeRate << FRACTION_BITS),
  }
}

type Growth = { all: bigint; host: bigint }

const totalSupplySf = (data: AccountData): bigint =>
  (data.u64(field.available) << FRACTION_BITS) +
  data.u128(field.borrowedSf) -
  data.u128(field.protocolFeesSf) -
  data.u128(field.referrerFeesSf) -
  data.u128(field.pendingReferrerFeesSf)

function growthOf(data: AccountData, slot: bigint): Growth {
  const since = slot - data.u64(field.lastSlot)
  if (since <= 0n) return { all: ONE, host: ONE }
  const host = (BigInt(data.u16(field.hostRateBps)) * ONE) / FULL_BPS
  return { all: compounded(borrowRate(data) + host, since), host: compounded(host, since) }
}

function compounded(yearly: bigint, slots: bigint): bigint {
  const base = yearly / SLOTS_PER_YEAR
  const times = (a: bigint, b: bigint) => (a * b) >> RATE_BITS
  if (slots < 5n) return Array.from({ length: Number(slots) }).reduce<bigint>((all) => times(all, ONE + base), ONE)
  const first = base * slots
  const second = times(first, base * (slots - 1n)) / 2n
  const third = times(second, base * (slots - 2n)) / 3n
  return ONE + first + second + third
}

function supplyAfter(data: AccountData, { all, host }: Growth): bigint {
  const borrowed = data.u128(field.borrowedSf)
  const grown = (part: bigint) => (borrowed * (part - ONE)) >> RATE_BITS
  const hostFee = grown(host)
  const variable = grown(all) - hostFee
  const fee = (variable * BigInt(data.u8(field.takeRatePct))) / 100n
  return totalSupplySf(data) + variable - fee
}

/** Yearly, linear between points (utilisation, rate). */
function borrowRate(data: AccountData): bigint {
  const supply = totalSupplySf(data)
  if (supply <= 0n) return curvePoint(data, 0).rate
  const exact = (data.u128(field.borrowedSf) * ONE) / supply
  const utilisation = exact > ONE ? ONE : exact
  for (let index = 1; index < CURVE_POINTS; index++) {
    const [low, high] = [curvePoint(data, index - 1), curvePoint(data, index)]
    if (utilisation > high.utilisation) continue
    if (high.utilisation === low.utilisation) return high.rate
    const part = ((utilisation - low.utilisation) * (high.rate - low.rate)) / (high.utilisation - low.utilisation)
    return low.rate + part
  }
  throw invalid(RESERVE.what, data.address, 'has a borrow curve that ends below full utilisation')
}

function curvePoint(data: AccountData, index: number) {
  const at = field.curve + index * 8
  const part = (offset: number) => (BigInt(data.u32(offset)) * ONE) / FULL_BPS
  return { utilisation: part(at), rate: part(at + 4) }
}
