import { swapQuoteByInputToken, type TickFacade } from '@orca-so/whirlpools-core'
import { addressBytes, addressOf, derived, NOBODY } from './addresses.ts'
import { type FixtureAccount, fixtureAccount } from './fixture.ts'
import { handData, type IdlType, type LayoutValue } from './layout.ts'
import { tokenAccount } from './tokens.ts'

const WHIRLPOOLS = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
const ORCA_CONFIG = '2LecshUwdy9xi7meFgHtFJQNSKk4KdTrcpvaB56dP2NQ'
const CLMM = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
const REWARDS = 3
const ORCA_TICKS = 88
const RAYDIUM_TICKS = 60
const NOTES = 100

type Fields = [IdlType, LayoutValue][]
const zeros = (bytes: number): Fields => [[{ array: ['u8', bytes] }, []]]

/** `nets`: change of liquidity when the price rises through a tick. */
export type RangeFigures = {
  /** In byte order. */
  mints: readonly [string, string]
  tickSpacing: number
  feeMillionths: number
  liquidity: bigint
  /** √(second per first) with 64 fractional bits. */
  sqrtPrice: bigint
  tick: number
  balances: readonly [bigint, bigint]
  nets: ReadonlyMap<number, bigint>
  /** Orca only: no space for unused ticks. */
  isDynamic?: boolean
  /** Raydium only: `config` is an index, `notes` are past observations. */
  config?: number
  notes?: readonly { time: number; cumulative: bigint }[]
  isClosed?: boolean
}

const startsOf = (figures: RangeFigures, ticksPerArray: number): number[] => {
  const span = ticksPerArray * figures.tickSpacing
  return [...new Set([...figures.nets.keys()].map((tick) => Math.floor(tick / span) * span))]
}

const vaultsOf = ({ mints, balances }: Pick<RangeFigures, 'mints' | 'balances'>, pool: string) => {
  const vaults = [addressOf(`vault 0 of ${pool}`), addressOf(`vault 1 of ${pool}`)] as const
  return {
    vaults,
    accounts: [
      tokenAccount(vaults[0], pool, mints[0], balances[0]),
      tokenAccount(vaults[1], pool, mints[1], balances[1]),
    ],
  }
}

const orcaArray = (pool: string, start: number, { nets, tickSpacing, isDynamic }: RangeFigures): Uint8Array => {
  const ticks = Array.from({ length: ORCA_TICKS }, (_, index) => nets.get(start + index * tickSpacing))
  const used = (net: bigint): Fields => [
    ['i128', net],
    ['u128', net < 0n ? -net : net],
    [{ array: ['u128', 2 + REWARDS] }, []],
  ]
  if (isDynamic) {
    return handData('DynamicTickArray', [
      ['i32', start],
      ['publicKey', pool],
      ['u128', 0n],
      ...ticks.flatMap((net): Fields => (net === undefined ? [['u8', 0]] : [['u8', 1], ...used(net)])),
    ])
  }
  return handData('TickArray', [
    ['i32', start],
    ...ticks.flatMap((net): Fields => [['bool', net !== undefined], ...used(net ?? 0n)]),
    ['publicKey', pool],
  ])
}

/** The first account is the pool. */
export const whirlpoolMarket = async (figures: RangeFigures): Promise<FixtureAccount[]> => {
  const { mints, tickSpacing } = figures
  const spacing = Uint8Array.of(tickSpacing & 0xff, tickSpacing >> 8)
  const pool = await derived(WHIRLPOOLS, [
    'whirlpool',
    addressBytes(ORCA_CONFIG),
    addressBytes(mints[0]),
    addressBytes(mints[1]),
    spacing,
  ])
  const { vaults, accounts } = vaultsOf(figures, pool)
  const data = handData('Whirlpool', [
    ['publicKey', ORCA_CONFIG],
    ['u8', 255],
    ['u16', tickSpacing],
    ['u16', tickSpacing],
    ['u16', figures.feeMillionths],
    ['u16', 1_300],
    ['u128', figures.liquidity],
    ['u128', figures.sqrtPrice],
    ['i32', figures.tick],
    ['u64', 1n],
    ['u64', 2n],
    ['publicKey', mints[0]],
    ['publicKey', vaults[0]],
    ['u128', 3n],
    ['publicKey', mints[1]],
    ['publicKey', vaults[1]],
    ['u128', 4n],
    ['u64', 5n],
    ...Array.from({ length: REWARDS }, () => zeros(128)).flat(),
  ])
  const arrays = await Promise.all(
    startsOf(figures, ORCA_TICKS).map(async (start) => {
      const at = await derived(WHIRLPOOLS, ['tick_array', addressBytes(pool), start.toString()])
      return fixtureAccount(at, WHIRLPOOLS, orcaArray(pool, start, figures))
    }),
  )
  return [fixtureAccount(pool, WHIRLPOOLS, data), ...accounts, ...arrays]
}

/** From Orca's library, rounded down. */
export const whirlpoolPays = (figures: RangeFigures, amountRaw: bigint, isFirst: boolean): bigint => {
  const { tickSpacing, tick, nets } = figures
  const span = ORCA_TICKS * tickSpacing
  const first = Math.floor(tick / span) * span
  const arrays = [0, 1, 2, -1, -2].map((index) => {
    const startTickIndex = first + index * span
    const ticks = Array.from({ length: ORCA_TICKS }, (_, at): TickFacade => {
      const net = nets.get(startTickIndex + at * tickSpacing)
      return {
        ...{ initialized: net !== undefined, liquidityNet: net ?? 0n, liquidityGross: net === undefined ? 0n : 1n },
        ...{ feeGrowthOutsideA: 0n, feeGrowthOutsideB: 0n, rewardGrowthsOutside: [0n, 0n, 0n] },
      }
    })
    return { startTickIndex, ticks }
  })
  const reward = { emissionsPerSecondX64: 0n, growthGlobalX64: 0n }
  const pool = {
    ...{ tickSpacing, feeRate: figures.feeMillionths, protocolFeeRate: 1_300, liquidity: figures.liquidity },
    ...{ sqrtPrice: figures.sqrtPrice, tickCurrentIndex: tick, feeGrowthGlobalA: 0n, feeGrowthGlobalB: 0n },
    ...{ rewardLastUpdatedTimestamp: 0n, rewardInfos: [reward, reward, reward] },
  }
  return swapQuoteByInputToken(amountRaw, isFirst, 0, pool, arrays).tokenEstOut
}

const bigEndian = (value: number, bytes: 2 | 4): Uint8Array => {
  const seed = Buffer.alloc(4)
  seed.writeInt32BE(value)
  return new Uint8Array(seed.subarray(4 - bytes))
}

const configAddress = (program: string, index: number) => derived(program, ['amm_config', bigEndian(index, 2)])

/** The first account is the pool. */
export const clmmMarket = async (figures: RangeFigures): Promise<FixtureAccount[]> => {
  const { mints, tickSpacing, config = 1, notes = [] } = figures
  const configAt = await configAddress(CLMM, config)
  const pool = await derived(CLMM, ['pool', addressBytes(configAt), addressBytes(mints[0]), addressBytes(mints[1])])
  const observation = await derived(CLMM, ['observation', addressBytes(pool)])
  const { vaults, accounts } = vaultsOf(figures, pool)
  const data = handData('PoolState', [
    ['u8', 255],
    ...[configAt, NOBODY, ...mints, ...vaults, observation].map((key): [IdlType, LayoutValue] => ['publicKey', key]),
    ['u8', 9],
    ['u8', 6],
    ['u16', tickSpacing],
    ['u128', figures.liquidity],
    ['u128', figures.sqrtPrice],
    ['i32', figures.tick],
    ...zeros(4 + 2 * 16 + 2 * 8 + 64),
    ['u8', figures.isClosed ? 16 : 0],
    ...zeros(7 + REWARDS * 169 + 16 * 8 + 8 * 8 + 80 + 14 * 8 + 32 * 8),
  ])
  const rates = handData('AmmConfig', [
    ['u8', 255],
    ['u16', config],
    ['publicKey', NOBODY],
    ['u32', 120_000],
    ['u32', figures.feeMillionths],
    ['u16', tickSpacing],
    ['u32', 40_000],
    ...zeros(4 + 32 + 24),
  ])
  const observed = handData('ObservationState', [
    ['bool', notes.length > 0],
    ['u64', 900n],
    ['u16', Math.max(0, notes.length - 1)],
    ['publicKey', pool],
    ...Array.from({ length: NOTES }, (_, index): Fields => {
      const note = notes[index]
      return [['u32', note?.time ?? 0], ['i64', note?.cumulative ?? 0n], ...zeros(32)]
    }).flat(),
    ...zeros(32),
  ])
  const arrays = await Promise.all(
    startsOf(figures, RAYDIUM_TICKS).map(async (start) => {
      const at = await derived(CLMM, ['tick_array', addressBytes(pool), bigEndian(start, 4)])
      return fixtureAccount(at, CLMM, raydiumArray(pool, start, figures))
    }),
  )
  return [
    fixtureAccount(pool, CLMM, data),
    fixtureAccount(configAt, CLMM, rates),
    fixtureAccount(observation, CLMM, observed),
    ...accounts,
    ...arrays,
  ]
}

const raydiumArray = (pool: string, start: number, { nets, tickSpacing }: RangeFigures): Uint8Array =>
  handData('TickArrayState', [
    ['publicKey', pool],
    ['i32', start],
    ...Array.from({ length: RAYDIUM_TICKS }, (_, index): Fields => {
      const tick = start + index * tickSpacing
      const net = nets.get(tick)
      return [
        ['i32', net === undefined ? 0 : tick],
        ['i128', net ?? 0n],
        ['u128', net === undefined ? 0n : 1n],
        ...zeros(16 * (2 + REWARDS) + 52),
      ]
    }).flat(),
    ...zeros(1 + 8 + 107),
  ])

/** `fees`: part of the vaults that is not the pool's. */
export type PairFigures = {
  mints: readonly [string, string]
  feeMillionths: number
  creatorFeeMillionths?: number
  reserves: readonly [bigint, bigint]
  fees: readonly [bigint, bigint]
  /** Start of trading in Unix seconds. */
  opens?: number
}

/** The first account is the pool. */
export const cpmmMarket = async (figures: PairFigures): Promise<FixtureAccount[]> => {
  const { mints, reserves, fees, creatorFeeMillionths = 0 } = figures
  const configAt = await configAddress(CPMM, 0)
  const pool = await derived(CPMM, ['pool', addressBytes(configAt), addressBytes(mints[0]), addressBytes(mints[1])])
  const { vaults, accounts } = vaultsOf({ mints, balances: [reserves[0] + fees[0], reserves[1] + fees[1]] }, pool)
  // A third of the fees is the protocol's, a third the fund's, the rest the creator's.
  const third = [fees[0] / 3n, fees[1] / 3n] as const
  const data = handData('PoolState', [
    ...[configAt, NOBODY, ...vaults, NOBODY, ...mints, NOBODY, NOBODY, NOBODY].map((key): [IdlType, LayoutValue] => [
      'publicKey',
      key,
    ]),
    ...zeros(5),
    ['u64', 1_000_000n],
    ['u64', third[0]],
    ['u64', third[1]],
    ['u64', third[0]],
    ['u64', third[1]],
    ['u64', BigInt(figures.opens ?? 0)],
    ['u64', 900n],
    ['u8', 0],
    ['bool', creatorFeeMillionths > 0],
    ...zeros(6),
    ['u64', fees[0] - 2n * third[0]],
    ['u64', fees[1] - 2n * third[1]],
    ...zeros(28 * 8),
  ])
  const rates = handData('AmmConfig', [
    ['u8', 255],
    ['bool', false],
    ['u16', 0],
    ['u64', BigInt(figures.feeMillionths)],
    ['u64', 120_000n],
    ['u64', 40_000n],
    ['u64', 150_000_000n],
    ...zeros(64),
    ['u64', BigInt(creatorFeeMillionths)],
    ...zeros(15 * 8),
  ])
  return [fixtureAccount(pool, CPMM, data), fixtureAccount(configAt, CPMM, rates), ...accounts]
}
