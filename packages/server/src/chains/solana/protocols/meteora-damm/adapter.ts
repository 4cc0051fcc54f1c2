import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountOf,
  anchorLayout,
  invalid,
  list,
  readAccount,
  type SolanaAccount,
} from '../../codec/account-data.ts'
import { type SolanaClock, timeOfSlot, unlockTime } from '../../codec/clock.ts'
import { readAll } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { pairOf, totalsOf } from '../amounts.ts'
import { positionAddresses, readNftPositions } from '../position-nfts.ts'

const DAMM_PROGRAM: SolanaAddress = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'

/** Vesting counts slots or seconds, as the pool does. */
const POSITION = anchorLayout('position of Meteora DAMM', DAMM_PROGRAM, 'VZMoMoKgZQb', 408, {
  pool: ['key', 8],
  mint: ['key', 40],
  checkpoints: ['u256', 72, 104],
  pending: ['u64', 136, 144],
  unlocked: ['u128', 152],
  vested: ['u128', 168],
  permanent: ['u128', 184],
  rewards: list({ from: 216, count: 2, size: 48 }, { checkpoint: ['u256', 0], pending: ['u64', 32] }),
  cliff: ['u64', 312],
  period: ['u64', 320],
  atCliff: ['u128', 328],
  perPeriod: ['u128', 344],
  released: ['u128', 360],
  periods: ['u16', 376],
})
type DammPosition = AccountOf<typeof POSITION>

/** Reward rates: per second, 64 fractional bits. Times in Unix seconds. */
export const POOL = anchorLayout('pool of Meteora DAMM', DAMM_PROGRAM, 'hQrXeCntzbV', 1_112, {
  tokens: ['key', 168, 200],
  liquidity: ['u128', 360],
  sqrtMin: ['u128', 424],
  sqrtMax: ['u128', 440],
  sqrtPrice: ['u128', 456],
  countsBy: ['u8', 480],
  mode: ['u8', 484],
  feeGrowth: ['u256', 488, 520],
  reserves: ['u64', 680, 688],
  version: ['u8', 696],
  rewards: list(
    { from: 728, count: 2, size: 192 },
    {
      exists: ['u8', 0],
      mint: ['key', 16],
      ends: ['u64', 120],
      rate: ['u128', 128],
      stored: ['u256', 144],
      updated: ['u64', 176],
    },
  ),
})
type DammPool = AccountOf<typeof POOL>

const BY_TIME = 1
/** Fee modes: 0 both tokens, 1 second token, 2 partly added to liquidity, without a price range. */
const COMPOUNDING = 2
/** Pools record reserves from this version on. */
const WITH_RESERVES = 1

const positions = {
  program: DAMM_PROGRAM,
  positionAddress: positionAddresses(DAMM_PROGRAM),
  readPosition: (account: SolanaAccount) => readAccount(account, POSITION),
}

/** Locked liquidity is a separate position. */
export const meteoraDamm: SolanaAdapter = {
  key: 'meteora_damm_v2',
  title: 'Meteora DAMM v2',
  siteUrl: 'https://www.meteora.ag',

  async positions(scope) {
    const found = await readNftPositions(scope, positions)
    const named = found.map(({ pool }) => pool)
    const poolOf = await readAll(scope.reader, POOL, named)
    return found.flatMap((position) => draftsOf(position, checked(poolOf(position.pool)), scope.clock))
  },
}

function checked(pool: DammPool): DammPool {
  const { address, mode, version } = pool
  if (mode <= COMPOUNDING && version <= WITH_RESERVES && (mode < COMPOUNDING || version === WITH_RESERVES)) return pool
  throw invalid(POOL.what, address, `has fee mode ${mode} in version ${version}`)
}

function draftsOf(position: DammPosition, pool: DammPool, clock: SolanaClock): PositionDraft[] {
  const draft = (label: string, liquidity: bigint, more: Partial<PositionDraft> = {}): PositionDraft => {
    const supplied = pairOf(pool.tokens, withdrawn(liquidity, pool))
    return { kind: 'nft-liquidity', label, pool: position.pool, supplied, receipts: [position.mint], ...more }
  }
  const { free, vesting, elsewhere, ends } = partsOf(position, pool, clock)
  return [
    draft('DAMM v2', free, { rewards: rewardsOf(position, pool, BigInt(clock.time)) }),
    draft('DAMM v2, vesting', vesting, { unlockAt: unlockTime(ends) }),
    draft('DAMM v2, vesting', elsewhere),
    draft('DAMM v2, locked', position.permanent, { unlockAt: Number.MAX_SAFE_INTEGER }),
  ]
}

/** `elsewhere`: its unlock time is in accounts that cannot be derived from the position. */
function partsOf(position: DammPosition, { countsBy }: DammPool, clock: SolanaClock) {
  const countsSlots = countsBy !== BY_TIME
  const { free, locked, ends } = vestingAt(position, countsSlots ? clock.slot : BigInt(clock.time))
  const elsewhere = position.vested - free - locked
  if (free < 0n || elsewhere < 0n) throw invalid(POSITION.what, position.address, 'has released more than there was')
  return {
    free: position.unlocked + free,
    vesting: locked,
    elsewhere,
    ends: countsSlots ? timeOfSlot(ends, clock) : ends,
  }
}

/** Fractional bits: 64 in liquidity and √prices (b per a), 128 in growth per liquidity. */
const LIQUIDITY_BITS = 128n
/** Reward rates have 64 more. */
const REWARD_BITS = 192n
const MAX_U64 = (1n << 64n) - 1n

function rewardsOf(position: DammPosition, pool: DammPool, time: bigint): TokenAmount[] {
  const { unlocked, vested, permanent, checkpoints, pending } = position
  const liquidity = unlocked + vested + permanent
  /** Counters wrap around. Sums beyond 64 bits are capped. */
  const earned = (counter: { checkpoint: bigint; pending: bigint }, growth: bigint, bits: bigint) => {
    const sum = counter.pending + ((liquidity * BigInt.asUintN(256, growth - counter.checkpoint)) >> bits)
    return sum > MAX_U64 ? MAX_U64 : sum
  }
  const fees = ([0, 1] as const).map((side) => {
    const counter = { checkpoint: checkpoints[side], pending: pending[side] }
    return { token: pool.tokens[side], amountRaw: earned(counter, pool.feeGrowth[side], LIQUIDITY_BITS) }
  })
  const rewards = position.rewards.flatMap((counter, index) => {
    const reward = pool.rewards[index]
    if (!reward?.exists) return []
    return [{ token: reward.mint, amountRaw: earned(counter, grownTo(time, reward, pool.liquidity), REWARD_BITS) }]
  })
  return totalsOf([...fees, ...rewards])
}

/** Rounded down. */
function withdrawn(amount: bigint, pool: DammPool): [bigint, bigint] {
  const { mode, liquidity, sqrtMin, sqrtMax, sqrtPrice, reserves } = pool
  if (amount === 0n) return [0n, 0n]
  if (mode === COMPOUNDING) return [(amount * reserves[0]) / liquidity, (amount * reserves[1]) / liquidity]
  const a = (amount * (sqrtMax - sqrtPrice)) / (sqrtPrice * sqrtMax)
  return [a, (amount * (sqrtPrice - sqrtMin)) >> LIQUIDITY_BITS]
}

function grownTo(
  time: bigint,
  { rate, ends, updated, stored }: DammPool['rewards'][number],
  liquidity: bigint,
): bigint {
  const seconds = (time < ends ? time : ends) - updated
  if (seconds <= 0n || liquidity === 0n) return stored
  return stored + ((rate * seconds) << LIQUIDITY_BITS) / liquidity
}

/** `free`: vested, but not yet recorded as free. */
function vestingAt(vesting: DammPosition, point: bigint): { free: bigint; locked: bigint; ends: bigint } {
  const { cliff, period, atCliff, perPeriod, released } = vesting
  const periods = BigInt(vesting.periods)
  const isAtOnce = period === 0n || perPeriod === 0n
  const passed = isAtOnce || point < cliff ? 0n : (point - cliff) / period
  const vested = point < cliff ? 0n : atCliff + (passed < periods ? passed : periods) * perPeriod
  return {
    free: vested - released,
    locked: atCliff + perPeriod * periods - vested,
    ends: isAtOnce ? cliff : cliff + period * periods,
  }
}
