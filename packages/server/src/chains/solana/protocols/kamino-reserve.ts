import { type AccountOf, anchorLayout, invalid, list, readAccount, type SolanaAccount } from '../codec/account-data.ts'
import { dividedUp } from './amounts.ts'

export const KAMINO_LEND = 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD'

/** Offsets of version 8 of the SDK. `…Sf`: times 2^60, `…Rate`: basis points. `elevationGroups`: 0 for no group. */
export const RESERVE = anchorLayout('reserve of Kamino', KAMINO_LEND, '8MMas8GHex6', 8624, {
  version: ['u64', 8],
  lastSlot: ['u64', 16],
  mint: ['key', 128],
  available: ['u64', 224],
  borrowedSf: ['u128', 232],
  /** USD of a whole token, at the last refresh. */
  priceSf: ['u128', 248],
  decimals: ['u64', 272],
  cumulativeSf: ['u256', 296],
  protocolFeesSf: ['u128', 344],
  referrerFeesSf: ['u128', 360],
  pendingReferrerFeesSf: ['u128', 376],
  collateralSupply: ['u64', 2592],
  hostRate: ['u16', 4858],
  takeRatePct: ['u8', 4870],
  liquidationThresholdPct: ['u8', 4873],
  curve: list({ from: 4920, count: 11, size: 8 }, { utilisation: ['u32', 0], rate: ['u32', 4] }),
  borrowFactorPct: ['u64', 5008],
  elevationGroups: ['bytes', 5480, 20],
})
type Reserve = AccountOf<typeof RESERVE>

const RESERVE_VERSION = 1n
const FRACTION_BITS = 60n
/** More bits, so that a payout is rounded only once. */
const RATE_BITS = 160n
const ONE = 1n << RATE_BITS
const FULL_BPS = 10_000n
/** The program's year: two slots a second. */
const SLOTS_PER_YEAR = 63_072_000n

export type KaminoReserve = Reserve & {
  /** Rounded down. */
  redeemed(collateral: bigint): bigint
  /** Rounded up. */
  owed(debt: { amountSf: bigint; cumulativeRate: bigint }): bigint
}

/** Accrues like the program: the last rate, compounded by the first terms of the binomial series. */
export function kaminoReserve(account: SolanaAccount | null | undefined, slot: bigint): KaminoReserve {
  const reserve = readAccount(account, RESERVE)
  const { version, collateralSupply } = reserve
  if (version !== RESERVE_VERSION) throw invalid(RESERVE.what, reserve.address, `has version ${version}`)
  const growth = growthOf(reserve, slot)
  const supplySf = supplyAfter(reserve, growth)
  const rate = (reserve.cumulativeSf * growth.all) >> RATE_BITS
  return {
    ...reserve,
    redeemed: (collateral) =>
      collateralSupply === 0n || supplySf === 0n
        ? collateral
        : (collateral * supplySf) / (collateralSupply << FRACTION_BITS),
    owed: ({ amountSf, cumulativeRate }) =>
      cumulativeRate === 0n ? 0n : dividedUp(amountSf * rate, cumulativeRate << FRACTION_BITS),
  }
}

type Growth = { all: bigint; host: bigint }

const totalSupplySf = (of: Reserve): bigint =>
  (of.available << FRACTION_BITS) + of.borrowedSf - of.protocolFeesSf - of.referrerFeesSf - of.pendingReferrerFeesSf

const fraction = (bps: number): bigint => (BigInt(bps) * ONE) / FULL_BPS

function growthOf(reserve: Reserve, slot: bigint): Growth {
  const since = slot - reserve.lastSlot
  if (since <= 0n) return { all: ONE, host: ONE }
  const host = fraction(reserve.hostRate)
  return { all: compounded(borrowRate(reserve) + host, since), host: compounded(host, since) }
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

function supplyAfter(reserve: Reserve, { all, host }: Growth): bigint {
  const grown = (part: bigint) => (reserve.borrowedSf * (part - ONE)) >> RATE_BITS
  const variable = grown(all) - grown(host)
  return totalSupplySf(reserve) + variable - (variable * BigInt(reserve.takeRatePct)) / 100n
}

/** Yearly, linear between points (utilisation, rate). */
function borrowRate(reserve: Reserve): bigint {
  const points = reserve.curve.map(({ utilisation, rate }) => ({ at: fraction(utilisation), rate: fraction(rate) }))
  const supply = totalSupplySf(reserve)
  if (supply <= 0n) return points[0]?.rate ?? 0n
  const exact = (reserve.borrowedSf * ONE) / supply
  const utilisation = exact > ONE ? ONE : exact
  const index = points.findIndex(({ at }, place) => place > 0 && utilisation <= at)
  const [low, high] = [points[index - 1], points[index]]
  if (!low || !high) throw invalid(RESERVE.what, reserve.address, 'has a borrow curve that ends below full utilisation')
  if (high.at === low.at) return high.rate
  return low.rate + ((utilisation - low.at) * (high.rate - low.rate)) / (high.at - low.at)
}
