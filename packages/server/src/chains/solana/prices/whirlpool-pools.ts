import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { addressBytes, integerSeed, programAddress } from '../codec/address.ts'
import {
  readState,
  readTicks,
  TICK_SPACINGS,
  TICKS_PER_ARRAY,
  tickArrayAddress,
  WHIRLPOOL_PROGRAM,
} from '../protocols/orca-whirlpools/layout.ts'
import { rangeProgram } from './range-program.ts'

/** For the pools that Orca lists. */
const CONFIG: SolanaAddress = '2LecshUwdy9xi7meFgHtFJQNSKk4KdTrcpvaB56dP2NQ'

/** Whirlpools keep no past prices. */
export const whirlpoolPools = rangeProgram({
  source: 'orca',
  program: WHIRLPOOL_PROGRAM,
  addresses: ([mintA, mintB]) =>
    TICK_SPACINGS.map((spacing) =>
      programAddress(WHIRLPOOL_PROGRAM, [
        'whirlpool',
        addressBytes(CONFIG),
        addressBytes(mintA),
        addressBytes(mintB),
        integerSeed(spacing, 2),
      ]),
    ),
  ticksPerArray: TICKS_PER_ARRAY,
  tickArrayAddress,
  readTicks,
  open(account) {
    const { feeMillionths, ...state } = readState(account)
    return { state, needs: [], terms: () => ({ feeMillionths, meanTick: null }) }
  },
})
