import type { SolanaAdapter } from '../adapter.ts'
import { positionAddresses } from '../position-nfts.ts'
import { type RangeProtocol, readRangePositions, tickFactor } from '../range-positions.ts'
import { CLMM_PROGRAM, readPool, readPosition, readTick, TICKS_PER_ARRAY, tickArrayAddress } from './layout.ts'

const clmm: RangeProtocol = {
  program: CLMM_PROGRAM,
  ticksPerArray: TICKS_PER_ARRAY,
  tickSpacings: [1, 10, 60, 120],
  positionAddress: positionAddresses(CLMM_PROGRAM),
  tickArrayAddress,
  readPosition,
  readPool,
  readTick,
  sqrtPriceAtTick,
}

/** Positions at withdrawal value, before token transfer fees. Limit orders are not read. */
export const raydiumClmm: SolanaAdapter = {
  name: 'raydium_clmm',
  key: 'raydium',
  title: 'Raydium',
  siteUrl: 'https://raydium.io',

  positions: (scope) => readRangePositions(scope, clmm),
}

/** √1.0001^-(2^i) in 64 fractional bits, from the program. */
const TICK_FACTORS = [
  0xfffcb933bd6fb800n,
  0xfff97272373d4000n,
  0xfff2e50f5f657000n,
  0xffe5caca7e10f000n,
  0xffcb9843d60f7000n,
  0xff973b41fa98e800n,
  0xff2ea16466c9b000n,
  0xfe5dee046a9a3800n,
  0xfcbe86c7900bb000n,
  0xf987a7253ac65800n,
  0xf3392b0822bb6000n,
  0xe7159475a2caf000n,
  0xd097f3bdfd2f2000n,
  0xa9f746462d9f8000n,
  0x70d869a156f31c00n,
  0x31be135f97ed3200n,
  0x9aa508b5b85a500n,
  0x5d6af8dedc582cn,
  0x2216e584f5fan,
] as const

const MAX_128 = (1n << 128n) - 1n

/** In 64 fractional bits, bit for bit as the program computes it. */
export function sqrtPriceAtTick(tick: number): bigint {
  const ratio = tickFactor(TICK_FACTORS, 64n, tick)
  return tick > 0 ? MAX_128 / ratio : ratio
}
