import {
  collectFeesQuote,
  decreaseLiquidityQuote,
  sqrtPriceToTickIndex,
  type TickFacade,
  tickIndexToSqrtPrice,
} from '@orca-so/whirlpools-core'
import { addressBytes, addressOf, derived, JUP, NOBODY, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, type FixtureAmount, type FixtureClock, fixtureAccount, position } from './fixture.ts'
import { handData, type IdlType, type LayoutValue } from './layout.ts'
import { heldAccounts } from './tokens.ts'

const PROGRAM = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
const TICKS_PER_ARRAY = 88
const REWARDS = 3

/** √(b per a) with 64 fractional bits. */
export const orcaSqrtPrice = (tick: number): bigint => tickIndexToSqrtPrice(tick)

type Counter = { checkpoint: bigint; owed: bigint }
type Outside = readonly [feeA: bigint, feeB: bigint, reward0: bigint, reward1: bigint, reward2: bigint]

/** Uses the first of three rewards. */
export type WhirlpoolFigures = {
  tickSpacing: number
  sqrtPrice: bigint
  poolLiquidity: bigint
  feeGrowth: readonly [bigint, bigint]
  reward: { emission: bigint; growth: bigint; secondsAgo: number }
  tickLower: number
  tickUpper: number
  liquidity: bigint
  outsideLower: Outside
  outsideUpper: Outside
  counters: readonly [Counter, Counter, Counter]
  /** Stores only ticks in use. */
  isDynamic: boolean
}

/** SOL at some 150 USDC, in range. */
export const whirlpoolFigures: WhirlpoolFigures = {
  tickSpacing: 4,
  sqrtPrice: 7_144_393_000_000_000_000n,
  poolLiquidity: 612_345_678_901_234n,
  feeGrowth: [3_456_789_012_345_678_901n, 512_345_678_901_234_567n],
  reward: { emission: 12_345n << 64n, growth: 98_765_432_109_876n, secondsAgo: 3_600 },
  tickLower: -20_000,
  tickUpper: -18_000,
  liquidity: 123_456_789_012n,
  outsideLower: [1_234_567_890_123_456_789n, 212_345_678_901_234_567n, 12_345_678_901n, 0n, 0n],
  outsideUpper: [234_567_890_123_456_789n, 12_345_678_901_234_567n, 2_345_678_901n, 0n, 0n],
  counters: [
    { checkpoint: 1_900_000_000_000_000_000n, owed: 123_456_789n },
    { checkpoint: 270_000_000_000_000_000n, owed: 4_567_890n },
    { checkpoint: 98_750_000_000_000n, owed: 1_000_001n },
  ],
  isDynamic: true,
}

const u128s = (count: number): IdlType => ({ array: ['u128', count] })

const poolData = (of: { clock: FixtureClock; figures: WhirlpoolFigures; tick: number }): Uint8Array => {
  const { tickSpacing, sqrtPrice, poolLiquidity, feeGrowth, reward } = of.figures
  const rewardFields = (index: number): [IdlType, LayoutValue][] => [
    ['publicKey', index === 0 ? JUP : NOBODY],
    ['publicKey', addressOf(`orca reward vault ${index}`)],
    ['publicKey', addressOf('orca reward authority')],
    ['u128', index === 0 ? reward.emission : 0n],
    ['u128', index === 0 ? reward.growth : 0n],
  ]
  return handData('Whirlpool', [
    ['publicKey', addressOf('orca config')],
    ['u8', 255],
    ['u16', tickSpacing],
    ['u16', tickSpacing],
    ['u16', 400],
    ['u16', 1_300],
    ['u128', poolLiquidity],
    ['u128', sqrtPrice],
    ['i32', of.tick],
    ['u64', 1_234_567n],
    ['u64', 7_654_321n],
    ['publicKey', WRAPPED_SOL],
    ['publicKey', addressOf('orca vault a')],
    ['u128', feeGrowth[0]],
    ['publicKey', USDC],
    ['publicKey', addressOf('orca vault b')],
    ['u128', feeGrowth[1]],
    ['u64', BigInt(of.clock.time - reward.secondsAgo)],
    ...[0, 1, 2].flatMap(rewardFields),
  ])
}

const positionData = (pool: string, mint: string, figures: WhirlpoolFigures): Uint8Array => {
  const [feeA, feeB, reward] = figures.counters
  const counter = ({ checkpoint, owed }: Counter): [IdlType, LayoutValue][] => [
    ['u128', checkpoint],
    ['u64', owed],
  ]
  return handData('Position', [
    ['publicKey', pool],
    ['publicKey', mint],
    ['u128', figures.liquidity],
    ['i32', figures.tickLower],
    ['i32', figures.tickUpper],
    ...[feeA, feeB, reward].flatMap(counter),
    ...Array.from({ length: REWARDS - 1 }, () => counter({ checkpoint: 0n, owed: 0n })).flat(),
  ])
}

type Ticks = ReadonlyMap<number, Outside>

const fixedArray = (pool: string, start: number, spacing: number, ticks: Ticks): Uint8Array =>
  handData('TickArray', [
    ['i32', start],
    ...Array.from({ length: TICKS_PER_ARRAY }, (_, index): [IdlType, LayoutValue][] => {
      const outside = ticks.get(start + index * spacing)
      return [
        ['bool', outside !== undefined],
        ['i128', outside ? 5n : 0n],
        ['u128', outside ? 5n : 0n],
        [u128s(2 + REWARDS), outside ?? []],
      ]
    }).flat(),
    ['publicKey', pool],
  ])

const dynamicArray = (pool: string, start: number, spacing: number, ticks: Ticks): Uint8Array => {
  const all = Array.from({ length: TICKS_PER_ARRAY }, (_, index) => ticks.get(start + index * spacing))
  const bitmap = all.reduce((bits, outside, index) => (outside ? bits | (1n << BigInt(index)) : bits), 0n)
  return handData('DynamicTickArray', [
    ['i32', start],
    ['publicKey', pool],
    ['u128', bitmap],
    ...all.flatMap((outside): [IdlType, LayoutValue][] =>
      outside
        ? [
            ['u8', 1],
            ['i128', 5n],
            ['u128', 5n],
            [u128s(2 + REWARDS), outside],
          ]
        : [['u8', 0]],
    ),
  ])
}

const tickArrays = async (pool: string, figures: WhirlpoolFigures) => {
  const { tickSpacing, tickLower, tickUpper, outsideLower, outsideUpper, isDynamic } = figures
  const span = TICKS_PER_ARRAY * tickSpacing
  // A tick of other users precedes the lower one, where space allows.
  const lowerStart = Math.floor(tickLower / span) * span
  const ticks: Ticks = new Map<number, Outside>([
    [lowerStart, [9n, 9n, 9n, 9n, 9n]],
    [tickLower, outsideLower],
    [tickUpper, outsideUpper],
  ])
  const starts = new Set([lowerStart, Math.floor(tickUpper / span) * span])
  return Promise.all(
    [...starts].map(async (start) => {
      const encode = isDynamic && start === lowerStart ? dynamicArray : fixedArray
      const at = await derived(PROGRAM, ['tick_array', addressBytes(pool), start.toString()])
      return fixtureAccount(at, PROGRAM, encode(pool, start, tickSpacing, ticks))
    }),
  )
}

/** Amounts owed to two counters: fees, or anything that grows alike. */
const owed = (
  figures: WhirlpoolFigures,
  tick: number,
  [a, b]: readonly [number, number],
  growth: readonly [bigint, bigint],
) => {
  const { liquidity, tickLower, tickUpper, counters, outsideLower, outsideUpper } = figures
  const reward = { emissionsPerSecondX64: 0n, growthGlobalX64: 0n }
  const pool = {
    ...{ tickSpacing: figures.tickSpacing, feeRate: 400, protocolFeeRate: 1_300, tickCurrentIndex: tick },
    ...{ liquidity: figures.poolLiquidity, sqrtPrice: figures.sqrtPrice, rewardLastUpdatedTimestamp: 0n },
    ...{ feeGrowthGlobalA: growth[0], feeGrowthGlobalB: growth[1], rewardInfos: [reward, reward, reward] },
  }
  const own = {
    ...{ liquidity, tickLowerIndex: tickLower, tickUpperIndex: tickUpper },
    ...{ feeGrowthCheckpointA: counters[a]?.checkpoint ?? 0n, feeOwedA: counters[a]?.owed ?? 0n },
    ...{ feeGrowthCheckpointB: counters[b]?.checkpoint ?? 0n, feeOwedB: counters[b]?.owed ?? 0n },
    rewardInfos: Array.from({ length: REWARDS }, () => ({ growthInsideCheckpoint: 0n, amountOwed: 0n })),
  }
  const [lower, upper] = [outsideLower, outsideUpper].map((outside) => ({
    ...{ initialized: true, liquidityNet: 5n, liquidityGross: 5n, rewardGrowthsOutside: [0n, 0n, 0n] },
    ...{ feeGrowthOutsideA: outside[a] ?? 0n, feeGrowthOutsideB: outside[b] ?? 0n },
  })) as [TickFacade, TickFacade]
  const { feeOwedA, feeOwedB } = collectFeesQuote(pool, own, lower, upper)
  return [feeOwedA, feeOwedB] as const
}

const expectedOf = (figures: WhirlpoolFigures, tick: number) => {
  const { reward, poolLiquidity, liquidity, tickLower, tickUpper, sqrtPrice } = figures
  const amounts = decreaseLiquidityQuote(liquidity, 0, sqrtPrice, tickLower, tickUpper)
  const [feeA, feeB] = owed(figures, tick, [0, 1], figures.feeGrowth)
  // Rewards grow like fees. The library's quote drops the fractional bits.
  const since = (reward.emission * BigInt(reward.secondsAgo)) / poolLiquidity
  const grown = BigInt.asUintN(128, reward.growth + since)
  const [inReward] = owed(figures, tick, [2, 2], [grown, grown])
  const paid: FixtureAmount[] = [
    { token: WRAPPED_SOL, amountRaw: feeA },
    { token: USDC, amountRaw: feeB },
    { token: JUP, amountRaw: inReward },
  ]
  return position('nft-liquidity', {
    supplied: [
      { token: WRAPPED_SOL, amountRaw: amounts.tokenEstA },
      { token: USDC, amountRaw: amounts.tokenEstB },
    ],
    rewards: paid.filter(({ amountRaw }) => amountRaw > 0n),
  })
}

/** Values from Orca's library. */
export const whirlpool = async (wallet: string, clock: FixtureClock, figures = whirlpoolFigures): Promise<Fixture> => {
  const tick = sqrtPriceToTickIndex(figures.sqrtPrice)
  const pool = addressOf('orca pool')
  const token = { mint: addressOf(`orca position of ${wallet}`), amountRaw: 1n, decimals: 0 }
  const at = await derived(PROGRAM, ['position', addressBytes(token.mint)])
  return {
    accounts: [
      fixtureAccount(at, PROGRAM, positionData(pool, token.mint, figures)),
      fixtureAccount(pool, PROGRAM, poolData({ clock, figures, tick })),
      ...(await tickArrays(pool, figures)),
      ...(await heldAccounts(wallet, token, 1n)),
    ],
    held: [token],
    expected: [expectedOf(figures, tick)],
  }
}
