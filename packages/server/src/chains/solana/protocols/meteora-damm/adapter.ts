import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { invalid } from '../../codec/account-data.ts'
import { type SolanaClock, timeOfSlot, unlockTime } from '../../codec/clock.ts'
import { readAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { totalsOf } from '../amounts.ts'
import { positionAddresses, readNftPositions } from '../position-nfts.ts'
import {
  DAMM_PROGRAM,
  type DammPool,
  type DammPosition,
  type DammReward,
  type DammVesting,
  readPool,
  readPosition,
} from './layout.ts'

/** Positions at withdrawal value. Locked liquidity is a separate position. */
export const meteoraDamm: SolanaAdapter = {
  name: 'meteora_damm',
  key: 'meteora_damm_v2',
  title: 'Meteora DAMM v2',
  siteUrl: 'https://www.meteora.ag',

  async positions(scope) {
    const positions = await readNftPositions(scope, { program: DAMM_PROGRAM, positionAddress, readPosition })
    const pools = await readAccounts(
      scope.reader,
      positions.map(({ pool }) => pool),
    )
    return positions.flatMap((position) => draftsOf(position, readPool(pools.get(position.pool)), scope.clock))
  },
}

const positionAddress = positionAddresses(DAMM_PROGRAM)

function draftsOf(position: DammPosition, pool: DammPool, clock: SolanaClock): PositionDraft[] {
  const draft = (label: string, liquidity: bigint, more: Partial<PositionDraft> = {}): PositionDraft => {
    const [a, b] = withdrawn(liquidity, pool)
    const supplied = [
      { token: pool.tokens[0], amountRaw: a },
      { token: pool.tokens[1], amountRaw: b },
    ]
    return { kind: 'nft-liquidity', label, pool: position.pool, supplied, receipts: [position.mint], ...more }
  }
  const { free, vesting, elsewhere, ends } = partsOf(position, pool, clock)
  const parts = [
    draft('DAMM v2', free, { rewards: rewardsOf(position, pool, clock) }),
    draft('DAMM v2, vesting', vesting, { unlockAt: unlockTime(ends) }),
    draft('DAMM v2, vesting', elsewhere),
    draft('DAMM v2, locked', position.permanent, { unlockAt: Number.MAX_SAFE_INTEGER }),
  ]
  return parts.filter(({ supplied, rewards = [] }) => [...supplied, ...rewards].some(({ amountRaw }) => amountRaw > 0n))
}

/** `elsewhere`: its unlock time is in accounts that cannot be derived from the position. */
function partsOf({ address, unlocked, vested, vesting }: DammPosition, pool: DammPool, clock: SolanaClock) {
  const point = pool.countsSlots ? clock.slot : BigInt(clock.time)
  const { free, locked, ends } = vestingAt(vesting, point)
  const elsewhere = vested - free - locked
  if (free < 0n || elsewhere < 0n) {
    throw invalid('position of Meteora DAMM', address, 'has released more than there was')
  }
  const time = pool.countsSlots ? timeOfSlot(ends, clock) : ends
  return { free: unlocked + free, vesting: locked, elsewhere, ends: time }
}

function rewardsOf(position: DammPosition, pool: DammPool, clock: SolanaClock): TokenAmount[] {
  const liquidity = position.unlocked + position.vested + position.permanent
  const fees = pool.tokens.map((mint, index) => ({ mint, growth: pool.feeGrowth[index] ?? 0n, isReward: false }))
  const rewards = pool.rewards.map(
    (reward) =>
      reward && { mint: reward.mint, growth: grownTo(reward, pool.liquidity, BigInt(clock.time)), isReward: true },
  )
  return totalsOf(
    [...fees, ...rewards].flatMap((paid, index) => {
      const counter = position.counters[index]
      return paid && counter ? [{ token: paid.mint, amountRaw: earned(liquidity, counter, paid) }] : []
    }),
  )
}

/** Fractional bits: 64 in liquidity and √prices (b per a), 128 in growth per liquidity. */
const LIQUIDITY_BITS = 128n
/** Reward rates have 64 more. */
const REWARD_BITS = 192n
const MAX_U64 = (1n << 64n) - 1n

/** Rounded down. */
function withdrawn(amount: bigint, pool: DammPool): [bigint, bigint] {
  const { liquidity, sqrtMin, sqrtMax, sqrtPrice, reserves } = pool
  if (amount === 0n) return [0n, 0n]
  if (reserves) return [(amount * reserves[0]) / liquidity, (amount * reserves[1]) / liquidity]
  const a = (amount * (sqrtMax - sqrtPrice)) / (sqrtPrice * sqrtMax)
  return [a, (amount * (sqrtPrice - sqrtMin)) >> LIQUIDITY_BITS]
}

/** Counters wrap around. Sums beyond 64 bits are capped. */
function earned(
  liquidity: bigint,
  { checkpoint, pending }: { checkpoint: bigint; pending: bigint },
  { growth, isReward }: { growth: bigint; isReward: boolean },
): bigint {
  const since = BigInt.asUintN(256, growth - checkpoint)
  const sum = pending + ((liquidity * since) >> (isReward ? REWARD_BITS : LIQUIDITY_BITS))
  return sum > MAX_U64 ? MAX_U64 : sum
}

function grownTo({ rate, ends, updated, stored }: DammReward, liquidity: bigint, time: bigint): bigint {
  const seconds = (time < ends ? time : ends) - updated
  if (seconds <= 0n || liquidity === 0n) return stored
  return stored + ((rate * seconds) << LIQUIDITY_BITS) / liquidity
}

/** `free`: vested, but not yet recorded as free. */
function vestingAt(vesting: DammVesting, point: bigint): { free: bigint; locked: bigint; ends: bigint } {
  const { cliff, period, atCliff, perPeriod, periods, released } = vesting
  const isAtOnce = period === 0n || perPeriod === 0n
  const passed = isAtOnce || point < cliff ? 0n : (point - cliff) / period
  const vested = point < cliff ? 0n : atCliff + (passed < periods ? passed : periods) * perPeriod
  return {
    free: vested - released,
    locked: atCliff + perPeriod * periods - vested,
    ends: isAtOnce ? cliff : cliff + period * periods,
  }
}
