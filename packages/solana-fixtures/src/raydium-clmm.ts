import { addressBytes, addressOf, derived, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, type FixtureClock, fixtureAccount, position } from './fixture.ts'
import { handData, type IdlType, type LayoutValue } from './layout.ts'
import { heldAccounts } from './tokens.ts'

const PROGRAM = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
const RAY = '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R'
const TICKS_PER_ARRAY = 60
const REWARDS = 3

type Counter = { checkpoint: bigint; owed: bigint }
type Growth = readonly [fee0: bigint, fee1: bigint, reward: bigint]

/** Uses the first of three rewards, with times in Unix seconds. */
export type ClmmFigures = {
  tickSpacing: number
  tick: number
  sqrtPrice: bigint
  poolLiquidity: bigint
  growth: Growth
  reward: { emission: bigint; opens: number; ends: number; updated: number }
  tickLower: number
  tickUpper: number
  liquidity: bigint
  outsideLower: Growth
  outsideUpper: Growth
  counters: readonly [Counter, Counter, Counter]
}

/** Calculated by hand. */
export type ClmmAmounts = { supplied: readonly [bigint, bigint]; rewards: readonly [bigint, bigint, bigint] }

/** SOL at some 150 USDC, in range. The reward ended 2,000 seconds ago, 3,000 after its last update. */
export const clmmFigures = (clock: FixtureClock): ClmmFigures => ({
  tickSpacing: 10,
  tick: -18_972,
  sqrtPrice: 7_144_393_000_000_000_000n,
  poolLiquidity: 612_345_678_901_234_567n,
  growth: [3_456_789_012_345_678n, 51_234_567_890_123n, 98_765_432_109_876n],
  reward: {
    emission: 12_345n << 64n,
    opens: clock.time - 90_000,
    ends: clock.time - 2_000,
    updated: clock.time - 5_000,
  },
  tickLower: -19_980,
  tickUpper: -18_000,
  liquidity: 98_765_432_109_876n,
  outsideLower: [1_234_567_890_123_456n, 21_234_567_890_123n, 12_345_678_901n],
  outsideUpper: [234_567_890_123_456n, 1_234_567_890_123n, 2_345_678_901n],
  counters: [
    { checkpoint: 1_900_000_000_000_000n, owed: 123_456_789n },
    { checkpoint: 27_000_000_000_000n, owed: 4_567_890n },
    { checkpoint: 98_750_000_000_000n, owed: 1_000_001n },
  ],
})

/**
 * √price at tick −19980 is 6793306767972244478 / 2^64 and at −18000 it is 7500223941357688491 / 2^64. Tokens:
 * L·2^64·(upper − price) ÷ (upper·price) and L·(price − lower) ÷ 2^64. Growth inside is the global growth less both
 * outsides, for the reward plus 12345·2^64·3000 ÷ 612345678901234567. Paid: owed + L·(inside − checkpoint) ÷ 2^64.
 */
const clmmAmounts: ClmmAmounts = {
  supplied: [12_098_424_906_250n, 1_879_745_459_442n],
  rewards: [592_759_626n, 14_020_163n, 1_009_940n],
}

const zeros = (count: number): IdlType => ({ array: ['u8', count] })

const poolData = (figures: ClmmFigures): Uint8Array => {
  const { growth, reward } = figures
  const rewardFields: [IdlType, LayoutValue][] = [
    ['u8', 2],
    ['u64', BigInt(reward.opens)],
    ['u64', BigInt(reward.ends)],
    ['u64', BigInt(reward.updated)],
    ['u128', reward.emission],
    ['u64', 5_000_000_000n],
    ['u64', 4_000_000_000n],
    ['publicKey', RAY],
    ['publicKey', addressOf('raydium reward vault')],
    ['publicKey', addressOf('raydium reward authority')],
    ['u128', growth[2]],
  ]
  const noReward: [IdlType, LayoutValue][] = [
    [zeros(121), []],
    ['publicKey', addressOf('raydium reward authority')],
    ['u128', 0n],
  ]
  return handData('PoolState', [
    ['u8', 254],
    ['publicKey', addressOf('raydium config')],
    ['publicKey', addressOf('raydium pool owner')],
    ['publicKey', WRAPPED_SOL],
    ['publicKey', USDC],
    ['publicKey', addressOf('raydium vault 0')],
    ['publicKey', addressOf('raydium vault 1')],
    ['publicKey', addressOf('raydium observation')],
    ['u8', 9],
    ['u8', 6],
    ['u16', figures.tickSpacing],
    ['u128', figures.poolLiquidity],
    ['u128', figures.sqrtPrice],
    ['i32', figures.tick],
    ['u16', 0],
    ['u16', 0],
    ['u128', growth[0]],
    ['u128', growth[1]],
    ['u64', 1_234_567n],
    ['u64', 7_654_321n],
    [zeros(64), []],
    ['u8', 0],
    ['u8', 0],
    [zeros(6), []],
    ...rewardFields,
    ...noReward,
    ...noReward,
    [{ array: ['u64', 16] }, []],
    [{ array: ['u64', 4] }, []],
    ['u64', 0n],
    ['u64', 0n],
    ['u64', 0n],
    ['u64', 900n],
    [zeros(80), []],
    [{ array: ['u64', 46] }, []],
  ])
}

const positionData = (pool: string, mint: string, figures: ClmmFigures): Uint8Array => {
  const [fee0, fee1, reward] = figures.counters
  const counter = ({ checkpoint, owed }: Counter): [IdlType, LayoutValue][] => [
    ['u128', checkpoint],
    ['u64', owed],
  ]
  const nothing = { checkpoint: 0n, owed: 0n }
  return handData('PersonalPositionState', [
    ['u8', 255],
    ['publicKey', mint],
    ['publicKey', pool],
    ['i32', figures.tickLower],
    ['i32', figures.tickUpper],
    ['u128', figures.liquidity],
    ['u128', fee0.checkpoint],
    ['u128', fee1.checkpoint],
    ['u64', fee0.owed],
    ['u64', fee1.owed],
    ...[reward, nothing, nothing].flatMap(counter),
    ['u64', 900n],
    [zeros(56), []],
  ])
}

const arrayData = (pool: string, start: number, spacing: number, ticks: ReadonlyMap<number, Growth>): Uint8Array =>
  handData('TickArrayState', [
    ['publicKey', pool],
    ['i32', start],
    ...Array.from({ length: TICKS_PER_ARRAY }, (_, index): [IdlType, LayoutValue][] => {
      const tick = start + index * spacing
      const outside = ticks.get(tick)
      return [
        ['i32', outside ? tick : 0],
        ['i128', outside ? 5n : 0n],
        ['u128', outside ? 5n : 0n],
        [{ array: ['u128', 2 + REWARDS] }, outside ?? []],
        [zeros(52), []],
      ]
    }).flat(),
    ['u8', 2],
    ['u64', 900n],
    [zeros(107), []],
  ])

const bigEndian = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return new Uint8Array(bytes)
}

const tickArrays = (pool: string, figures: ClmmFigures) => {
  const { tickSpacing, tickLower, tickUpper, outsideLower, outsideUpper } = figures
  const span = TICKS_PER_ARRAY * tickSpacing
  const ticks = new Map([
    [tickLower, outsideLower],
    [tickUpper, outsideUpper],
  ])
  const starts = new Set([tickLower, tickUpper].map((tick) => Math.floor(tick / span) * span))
  return Promise.all(
    [...starts].map(async (start) => {
      const at = await derived(PROGRAM, ['tick_array', addressBytes(pool), bigEndian(start)])
      return fixtureAccount(at, PROGRAM, arrayData(pool, start, tickSpacing, ticks))
    }),
  )
}

export const raydiumClmm = async (
  wallet: string,
  clock: FixtureClock,
  figures = clmmFigures(clock),
  amounts = clmmAmounts,
): Promise<Fixture> => {
  const pool = addressOf('raydium pool')
  const token = { mint: addressOf(`raydium position of ${wallet}`), amountRaw: 1n, decimals: 0 }
  const at = await derived(PROGRAM, ['position', addressBytes(token.mint)])
  const paid = [WRAPPED_SOL, USDC, RAY].map((mint, index) => ({ token: mint, amountRaw: amounts.rewards[index] ?? 0n }))
  return {
    accounts: [
      fixtureAccount(at, PROGRAM, positionData(pool, token.mint, figures)),
      fixtureAccount(pool, PROGRAM, poolData(figures)),
      ...(await tickArrays(pool, figures)),
      ...(await heldAccounts(wallet, token, 1n)),
    ],
    held: [token],
    expected: [
      position('nft-liquidity', {
        supplied: [
          { token: WRAPPED_SOL, amountRaw: amounts.supplied[0] },
          { token: USDC, amountRaw: amounts.supplied[1] },
        ],
        rewards: paid.filter(({ amountRaw }) => amountRaw > 0n),
      }),
    ],
  }
}
