import {
  CpAmm,
  CpAmmIdl,
  getAvailableVestingLiquidity,
  getTotalLockedLiquidity,
  getUnClaimLpFee,
  type PoolState,
  type PositionState,
  type VestingState,
} from '@meteora-ag/cp-amm-sdk'
import { Connection } from '@solana/web3.js'
import BN from 'bn.js'
import { addressBytes, addressOf, derived, JUP, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, type FixtureClock, type FixturePosition, fixtureAccount, position } from './fixture.ts'
import { anchorData, type Idl, packed } from './layout.ts'
import { heldAccounts } from './tokens.ts'

const PROGRAM = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'
const idl = CpAmmIdl as unknown as Idl
const amm = new CpAmm(new Connection('http://127.0.0.1:1'))

type Counter = { checkpoint: bigint; pending: bigint }

/** Uses the first of two rewards. Times in Unix seconds. */
export type DammFigures = {
  liquidity: bigint
  sqrtMin: bigint
  sqrtMax: bigint
  sqrtPrice: bigint
  /** Reserves replace the price range. */
  isCompounding: boolean
  reserves: readonly [bigint, bigint]
  growth: readonly [feeA: bigint, feeB: bigint]
  reward: { rate: bigint; ends: number; updated: number; stored: bigint }
  unlocked: bigint
  permanent: bigint
  counters: readonly [feeA: Counter, feeB: Counter, reward: Counter]
  /** In slots or seconds, as the pool counts. `moreVesting`: vesting recorded elsewhere. */
  vesting: { cliff: bigint; period: bigint; atCliff: bigint; perPeriod: bigint; periods: number; released: bigint }
  moreVesting: bigint
  countsSlots: boolean
}

/** SOL at some 150 USDC over all prices, a third of the vesting passed, a running reward. */
export const dammFigures = (clock: FixtureClock): DammFigures => ({
  liquidity: 912_345_678_901_234_567n << 40n,
  sqrtMin: 4_295_048_016n,
  sqrtMax: 79_226_673_521_066_979_257_578_248_091n,
  sqrtPrice: 7_144_393_000_000_000_000n,
  isCompounding: false,
  reserves: [0n, 0n],
  growth: [3_456_789_012_345_678n << 64n, 51_234_567_890_123n << 64n],
  reward: {
    rate: 12_345n << 64n,
    ends: clock.time + 2_000,
    updated: clock.time - 3_000,
    stored: 98_765_432_109_876_543_210n << 64n,
  },
  unlocked: 98_765_432_109n << 64n,
  permanent: 8_765_432_109n << 64n,
  counters: [
    { checkpoint: 3_456_789_012_335_678n << 64n, pending: 123_456_789n },
    { checkpoint: 51_234_567_890_023n << 64n, pending: 4_567_890n },
    { checkpoint: 98_765_432_109_876_500_000n << 64n, pending: 1_000_001n },
  ],
  vesting: {
    cliff: BigInt(clock.time - 100_500),
    period: 1_000n,
    atCliff: 1_234_567_890n << 64n,
    perPeriod: 12_345_678n << 64n,
    periods: 300,
    released: 1_234_567_890n << 64n,
  },
  moreVesting: 0n,
  countsSlots: false,
})

const u256 = (value: bigint): Uint8Array =>
  packed([
    ['u128', BigInt.asUintN(128, value)],
    ['u128', value >> 128n],
  ])

const poolData = ({ liquidity, growth, reward, ...figures }: DammFigures): Uint8Array =>
  anchorData(idl, 'Pool', {
    token_a_mint: WRAPPED_SOL,
    token_b_mint: USDC,
    liquidity,
    protocol_a_fee: 1_234_567n,
    protocol_b_fee: 7_654_321n,
    sqrt_min_price: figures.sqrtMin,
    sqrt_max_price: figures.sqrtMax,
    sqrt_price: figures.sqrtPrice,
    activation_type: figures.countsSlots ? 0 : 1,
    collect_fee_mode: figures.isCompounding ? 2 : 0,
    fee_a_per_liquidity: u256(growth[0]),
    fee_b_per_liquidity: u256(growth[1]),
    token_a_amount: figures.reserves[0],
    token_b_amount: figures.reserves[1],
    layout_version: 1,
    reward_infos: [
      {
        initialized: 1,
        mint: JUP,
        reward_duration: 5_000n,
        reward_duration_end: BigInt(reward.ends),
        reward_rate: reward.rate,
        reward_per_token_stored: u256(reward.stored),
        last_update_time: BigInt(reward.updated),
      },
    ],
  })

const vestedOf = ({ vesting, moreVesting }: DammFigures) =>
  vesting.atCliff + vesting.perPeriod * BigInt(vesting.periods) - vesting.released + moreVesting

const positionData = (pool: string, mint: string, figures: DammFigures): Uint8Array => {
  const { counters, vesting } = figures
  return anchorData(idl, 'Position', {
    pool,
    nft_mint: mint,
    fee_a_per_token_checkpoint: u256(counters[0].checkpoint),
    fee_b_per_token_checkpoint: u256(counters[1].checkpoint),
    fee_a_pending: counters[0].pending,
    fee_b_pending: counters[1].pending,
    unlocked_liquidity: figures.unlocked,
    vested_liquidity: vestedOf(figures),
    permanent_locked_liquidity: figures.permanent,
    reward_infos: [{ reward_per_token_checkpoint: u256(counters[2].checkpoint), reward_pendings: counters[2].pending }],
    inner_vesting: {
      cliff_point: vesting.cliff,
      period_frequency: vesting.period,
      cliff_unlock_liquidity: vesting.atCliff,
      liquidity_per_period: vesting.perPeriod,
      total_released_liquidity: vesting.released,
      number_of_period: vesting.periods,
    },
  })
}

const big = (amount: BN) => BigInt(amount.toString())
const bn = (amount: bigint) => new BN(amount.toString())

/** Free, vesting and permanently locked liquidity, from Meteora's library. */
const partsOf = ({
  position: own,
  figures,
  clock,
}: {
  position: PositionState
  figures: DammFigures
  clock: FixtureClock
}) => {
  const vesting = own as unknown as VestingState
  const point = figures.countsSlots ? clock.slot : BigInt(clock.time)
  const released = getAvailableVestingLiquidity(vesting, bn(point))
  const free = own.unlockedLiquidity.add(released)
  const locked = getTotalLockedLiquidity(vesting).sub(own.innerVesting.totalReleasedLiquidity).sub(released)
  return { free, locked, elsewhere: bn(figures.moreVesting), permanent: own.permanentLockedLiquidity }
}

const expectedOf = (
  clock: FixtureClock,
  figures: DammFigures,
  { position: own, pool }: { position: PositionState; pool: PoolState },
): FixturePosition[] => {
  const supplied = (liquidity: BN) => {
    if (liquidity.isZero()) return []
    const quote = amm.getWithdrawQuote({
      liquidityDelta: liquidity,
      sqrtPrice: pool.sqrtPrice,
      minSqrtPrice: pool.sqrtMinPrice,
      maxSqrtPrice: pool.sqrtMaxPrice,
      collectFeeMode: pool.collectFeeMode,
      tokenAAmount: pool.tokenAAmount,
      tokenBAmount: pool.tokenBAmount,
      liquidity: pool.liquidity,
    })
    return [
      { token: WRAPPED_SOL, amountRaw: big(quote.outAmountA) },
      { token: USDC, amountRaw: big(quote.outAmountB) },
    ]
  }
  const fees = getUnClaimLpFee(pool, own, new BN(clock.time))
  const paid = [
    { token: WRAPPED_SOL, amountRaw: big(fees.feeTokenA) },
    { token: USDC, amountRaw: big(fees.feeTokenB) },
    { token: JUP, amountRaw: big(fees.rewards[0] ?? new BN(0)) },
  ].filter(({ amountRaw }) => amountRaw > 0n)
  const { free, locked, elsewhere, permanent } = partsOf({ position: own, figures, clock })
  const { cliff, period, perPeriod, periods } = figures.vesting
  const ends = period === 0n || perPeriod === 0n ? cliff : cliff + period * BigInt(periods)
  // Target slot duration: 0.4 seconds.
  const endTime = figures.countsSlots ? BigInt(clock.time) + ((ends - clock.slot) * 2n + 4n) / 5n : ends
  const zero = [WRAPPED_SOL, USDC].map((token) => ({ token, amountRaw: 0n }))
  const parts = [
    position('nft-liquidity', { supplied: free.isZero() ? zero : supplied(free), rewards: paid }),
    position('nft-liquidity', { supplied: supplied(locked), unlockAt: Number(endTime) }),
    position('nft-liquidity', { supplied: supplied(elsewhere) }),
    position('nft-liquidity', { supplied: supplied(permanent), unlockAt: Number.MAX_SAFE_INTEGER }),
  ]
  return parts.filter((part) => [...part.supplied, ...part.rewards].some(({ amountRaw }) => amountRaw > 0n))
}

/** Values from Meteora's library. */
export const meteoraDamm = async (
  wallet: string,
  clock: FixtureClock,
  figures = dammFigures(clock),
): Promise<Fixture> => {
  const token = { mint: addressOf(`meteora damm position of ${wallet}`), amountRaw: 1n, decimals: 0 }
  const pool = fixtureAccount(addressOf('meteora damm pool'), PROGRAM, poolData(figures))
  const at = await derived(PROGRAM, ['position', addressBytes(token.mint)])
  const own = fixtureAccount(at, PROGRAM, positionData(pool.address, token.mint, figures))
  const { accounts } = amm._program.coder
  const decoded = {
    position: accounts.decode<PositionState>('position', Buffer.from(own.data)),
    pool: accounts.decode<PoolState>('pool', Buffer.from(pool.data)),
  }
  return {
    accounts: [own, pool, ...(await heldAccounts(wallet, token, 1n))],
    held: [token],
    expected: expectedOf(clock, figures, decoded),
  }
}
