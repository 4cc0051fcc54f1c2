import { addressBytes } from '../../codec/address-bytes.ts'
import { programAddress } from '../../codec/program-address.ts'
import type { SolanaFamily } from '../family.ts'
import { positionAddresses } from '../position-nfts.ts'
import { type RangeProtocol, readRangePositions } from '../range-positions.ts'
import { readPool, readPosition, readTick, TICKS_PER_ARRAY, WHIRLPOOL_PROGRAM } from './layout.ts'
import { sqrtPriceAtTick } from './math.ts'

const whirlpools: RangeProtocol = {
  program: WHIRLPOOL_PROGRAM,
  ticksPerArray: TICKS_PER_ARRAY,
  // Those of Orca's fee tiers; the last is that of Splash pools, whose positions all have the full range.
  tickSpacings: [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896],
  positionAddress: positionAddresses(WHIRLPOOL_PROGRAM),
  tickArrayAddress: (pool, start) =>
    programAddress(WHIRLPOOL_PROGRAM, ['tick_array', addressBytes(pool), start.toString()]),
  readPosition,
  readPool,
  readTick,
  sqrtPriceAtTick,
}

/**
 * Orca's Whirlpools: positions that are NFTs, with what taking all liquidity out would pay and the fees and rewards that have
 * come in. What the tokens themselves keep of a transfer is not taken off; positions in a bundle are not read.
 */
export const orcaWhirlpools: SolanaFamily = {
  name: 'orca_whirlpools',
  key: 'orca',
  title: 'Orca',
  siteUrl: 'https://www.orca.so',

  positions: (scope) => readRangePositions(scope, whirlpools),
}
