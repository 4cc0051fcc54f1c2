import type { SolanaAdapter } from '../adapter.ts'
import { positionAddresses } from '../position-nfts.ts'
import { type RangeProtocol, readRangePositions } from '../range-positions.ts'
import { CLMM_PROGRAM, readPool, readPosition, readTick, TICKS_PER_ARRAY, tickArrayAddress } from './layout.ts'
import { sqrtPriceAtTick } from './math.ts'

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
