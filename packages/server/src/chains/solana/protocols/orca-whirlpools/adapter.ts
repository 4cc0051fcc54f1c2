import type { SolanaAdapter } from '../adapter.ts'
import { positionAddresses } from '../position-nfts.ts'
import { type RangeProtocol, readRangePositions, tickFactor } from '../range-positions.ts'
import {
  readPool,
  readPosition,
  readTick,
  TICK_SPACINGS,
  TICKS_PER_ARRAY,
  tickArrayAddress,
  WHIRLPOOL_PROGRAM,
} from './layout.ts'

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

/** In 64 fractional bits, bit for bit as the program computes it. */
export function sqrtPriceAtTick(tick: number): bigint {
  return tick >= 0 ? tickFactor(UP_FACTORS, 96n, tick) >> 32n : tickFactor(DOWN_FACTORS, 64n, tick)
}
