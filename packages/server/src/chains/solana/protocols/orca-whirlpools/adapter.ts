import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  anchorLayout,
  invalid,
  list,
  openAccount,
  readAccount,
  type SolanaAccount,
  startsWith,
} from '../../codec/account-data.ts'
import { addressBytes, programAddress } from '../../codec/address.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { positionAddresses } from '../position-nfts.ts'
import {
  emitted,
  type RangePool,
  type RangeProtocol,
  readRangePositions,
  type TickArray,
  tickFactor,
} from '../range-positions.ts'

export const WHIRLPOOL_PROGRAM: SolanaAddress = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
const TICKS_PER_ARRAY = 88

const FEE_UNITS_PER_PERCENT = 10_000

/** `counters`: two fees, three rewards. */
const POSITION = anchorLayout('position of Orca', WHIRLPOOL_PROGRAM, 'VZMoMoKgZQb', 216, {
  pool: ['key', 8],
  mint: ['key', 40],
  liquidity: ['u128', 72],
  tickLower: ['i32', 88],
  tickUpper: ['i32', 92],
  counters: list({ from: 96, count: 5, size: 24 }, { checkpoint: ['u128', 0], owed: ['u64', 16] }),
})

/** `emission`: per second. */
const POOL = anchorLayout('pool of Orca', WHIRLPOOL_PROGRAM, 'BdrfaPg3xM6', 653, {
  tickSpacing: ['u16', 41],
  feeMillionths: ['u16', 45],
  liquidity: ['u128', 49],
  sqrtPrice: ['u128', 65],
  tick: ['i32', 81],
  tokens: ['key', 101, 181],
  vaults: ['key', 133, 213],
  fees: ['u128', 165, 245],
  rewardsUpdated: ['u64', 261],
  rewards: list(
    { from: 269, count: 3, size: 128 },
    { mint: ['key', 0], emission: ['u128', 96], growth: ['u128', 112] },
  ),
})

const FIXED_ARRAY = anchorLayout('tick array of Orca', WHIRLPOOL_PROGRAM, 'Cc6F4MyvbgN', 9_988, {})
/** Arrays in which an unused tick takes one byte. */
const DYNAMIC = '3z9JotG6VfM'
const DYNAMIC_ARRAY = anchorLayout('tick array of Orca', WHIRLPOOL_PROGRAM, DYNAMIC, 148, {})
const ARRAY_START = 8
const FIXED = { pool: 9_956, ticks: 12 }
const SHRUNK = { pool: 12, ticks: 60 }
/** Flag, net and gross liquidity, growth outside of two fees and three rewards. */
const TICK_BYTES = 113

export const whirlpools: RangeProtocol = {
  program: WHIRLPOOL_PROGRAM,
  ticksPerArray: TICKS_PER_ARRAY,
  /** The last is for Splash pools, whose positions have the full range. */
  tickSpacings: [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896],
  positionAddress: positionAddresses(WHIRLPOOL_PROGRAM),
  tickArrayAddress: (pool, start) =>
    programAddress(WHIRLPOOL_PROGRAM, ['tick_array', addressBytes(pool), start.toString()]),
  readPosition: (account) => readAccount(account, POSITION),
  readPool,
  openTicks,
  tickAt: { net: 1, growth: 33 },
  sqrtPriceAtTick,
}

/** Before token transfer fees. Bundled positions are not read. */
export const orcaWhirlpools: SolanaAdapter = {
  key: 'orca',
  title: 'Orca',
  siteUrl: 'https://www.orca.so',

  positions: (scope) => readRangePositions(scope, whirlpools),
}

export const readState = (account: SolanaAccount) => readAccount(account, POOL)

function readPool(account: SolanaAccount | null | undefined, time: number): RangePool {
  const { feeMillionths, fees, rewardsUpdated, ...state } = readAccount(account, POOL)
  const rewards = state.rewards.map(({ mint, emission, growth }) => {
    if (mint === NATIVE_SOL) return undefined
    return { mint, growth: growth + emitted(emission, BigInt(time) - rewardsUpdated, state.liquidity) }
  })
  return {
    ...state,
    label: `${feeMillionths / FEE_UNITS_PER_PERCENT}%`,
    counters: [{ mint: state.tokens[0], growth: fees[0] }, { mint: state.tokens[1], growth: fees[1] }, ...rewards],
  }
}

function openTicks(account: SolanaAccount | null | undefined, { pool, start, tickSpacing }: TickArray) {
  const isDynamic = account !== null && account !== undefined && startsWith(account.data, DYNAMIC)
  const data = openAccount(account, isDynamic ? DYNAMIC_ARRAY : FIXED_ARRAY)
  const array = isDynamic ? SHRUNK : FIXED
  if (data.i32(ARRAY_START) !== start || data.key(array.pool) !== pool) {
    throw invalid(FIXED_ARRAY.what, data.address, `is not that of tick ${start}`)
  }
  const places = new Map<number, number>()
  let at = array.ticks
  for (let index = 0; index < TICKS_PER_ARRAY; index += 1) {
    const isUsed = data.flag(at)
    if (isUsed) places.set(start + index * tickSpacing, at)
    at += isUsed || !isDynamic ? TICK_BYTES : 1
  }
  return { data, places }
}

/** √1.0001^(2^i) in 96 fractional bits, from the program. */
const UP_FACTORS = [
  79232123823359799118286999567n,
  79236085330515764027303304731n,
  79244008939048815603706035061n,
  79259858533276714757314932305n,
  79291567232598584799939703904n,
  79355022692464371645785046466n,
  79482085999252804386437311141n,
  79736823300114093921829183326n,
  80248749790819932309965073892n,
  81282483887344747381513967011n,
  83390072131320151908154831281n,
  87770609709833776024991924138n,
  97234110755111693312479820773n,
  119332217159966728226237229890n,
  179736315981702064433883588727n,
  407748233172238350107850275304n,
  2098478828474011932436660412517n,
  55581415166113811149459800483533n,
  38992368544603139932233054999993551n,
] as const

/** √1.0001^-(2^i) in 64 fractional bits. */
const DOWN_FACTORS = [
  18445821805675392311n,
  18444899583751176498n,
  18443055278223354162n,
  18439367220385604838n,
  18431993317065449817n,
  18417254355718160513n,
  18387811781193591352n,
  18329067761203520168n,
  18212142134806087854n,
  17980523815641551639n,
  17526086738831147013n,
  16651378430235024244n,
  15030750278693429944n,
  12247334978882834399n,
  8131365268884726200n,
  3584323654723342297n,
  696457651847595233n,
  26294789957452057n,
  37481735321082n,
] as const

/** In 64 fractional bits, as the program rounds. */
export function sqrtPriceAtTick(tick: number): bigint {
  return tick >= 0 ? tickFactor(UP_FACTORS, 96n, tick) >> 32n : tickFactor(DOWN_FACTORS, 64n, tick)
}
