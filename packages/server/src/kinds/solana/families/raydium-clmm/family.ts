import type { SolanaFamily } from '../family.ts'
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

/**
 * Raydium's concentrated liquidity: positions that are NFTs, with what taking all liquidity out would pay and the fees and
 * rewards that have come in. What the tokens themselves keep of a transfer is not taken off; limit orders are not read.
 */
export const raydiumClmm: SolanaFamily = {
  name: 'raydium_clmm',
  key: 'raydium',
  title: 'Raydium',
  siteUrl: 'https://raydium.io',

  positions: (scope) => readRangePositions(scope, clmm),
}
