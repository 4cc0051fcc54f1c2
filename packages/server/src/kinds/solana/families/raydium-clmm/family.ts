import { addressBytes } from '../../codec/address-bytes.ts'
import { programAddress } from '../../codec/program-address.ts'
import type { SolanaFamily } from '../family.ts'
import { positionAddresses } from '../position-nfts.ts'
import { type RangeProtocol, readRangePositions } from '../range-positions.ts'
import { CLMM_PROGRAM, readPool, readPosition, readTick, TICKS_PER_ARRAY } from './layout.ts'
import { sqrtPriceAtTick } from './math.ts'

const clmm: RangeProtocol = {
  program: CLMM_PROGRAM,
  ticksPerArray: TICKS_PER_ARRAY,
  tickSpacings: [1, 10, 60, 120],
  positionAddress: positionAddresses(CLMM_PROGRAM),
  tickArrayAddress: (pool, start) => programAddress(CLMM_PROGRAM, ['tick_array', addressBytes(pool), bigEndian(start)]),
  readPosition,
  readPool,
  readTick,
  sqrtPriceAtTick,
}

/** Four bytes with the most significant first, which this program alone has in its seeds. */
function bigEndian(value: number): Uint8Array {
  const seed = new Uint8Array(4)
  new DataView(seed.buffer).setInt32(0, value)
  return seed
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
