import type { SolanaAdapter } from '../adapter.ts'
import { positionAddresses } from '../position-nfts.ts'
import { type RangeProtocol, readRangePositions } from '../range-positions.ts'
import {
  readPool,
  readPosition,
  readTick,
  TICK_SPACINGS,
  TICKS_PER_ARRAY,
  tickArrayAddress,
  WHIRLPOOL_PROGRAM,
} from './layout.ts'
import { sqrtPriceAtTick } from './math.ts'

const whirlpools: RangeProtocol = {
  program: WHIRLPOOL_PROGRAM,
  ticksPerArray: TICKS_PER_ARRAY,
  tickSpacings: TICK_SPACINGS,
  positionAddress: positionAddresses(WHIRLPOOL_PROGRAM),
  tickArrayAddress,
  readPosition,
  readPool,
  readTick,
  sqrtPriceAtTick,
}

/** Positions at withdrawal value, before token transfer fees. Bundled positions are not read. */
export const orcaWhirlpools: SolanaAdapter = {
  name: 'orca_whirlpools',
  key: 'orca',
  title: 'Orca',
  siteUrl: 'https://www.orca.so',

  positions: (scope) => readRangePositions(scope, whirlpools),
}
