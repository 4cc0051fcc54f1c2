import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { addressBytes, integerSeed, programAddress } from '../codec/address.ts'
import { heldAmount } from '../codec/token-program.ts'
import type { Accounts } from '../protocols/account-reads.ts'
import { readState, whirlpools } from '../protocols/orca-whirlpools/adapter.ts'
import { arrayStart, type RangeProtocol, type RangeState, readTicks, type Tick } from '../protocols/range-positions.ts'
import type { PoolHead, PoolProgram } from './pool-search.ts'

type RangeProgram = {
  source: string
  addresses: PoolProgram['addresses']
  protocol: RangeProtocol
  open(account: SolanaAccount): OpenRange | undefined
}

type OpenRange = {
  state: RangeState
  needs: readonly SolanaAddress[]
  terms(accounts: Accounts, time: number): { feeMillionths: number; meanTick: number | null }
}

/** Ten percent in price. */
const TICKS_FOLLOWED = 1_000
/** Ten kilobytes each. */
const MOST_ARRAYS = 3
const Q64 = 1n << 64n
const X96_OF_X64 = 32n

export function rangeProgram(of: RangeProgram): PoolProgram {
  const { source, addresses, protocol } = of
  return { source, kind: 'range', program: protocol.program, addresses, open: (account) => openHead(of, account) }
}

function openHead({ protocol, open }: RangeProgram, account: SolanaAccount): PoolHead | undefined {
  const opened = open(account)
  if (!opened) return undefined
  const { state, needs, terms } = opened
  const { liquidity, sqrtPrice } = state
  const pool = account.address
  const quoteSide = (tokenIs0: boolean) => (tokenIs0 ? 1 : 0)
  const arraysOf = (tokenIs0: boolean) =>
    arrayStarts(state, protocol.ticksPerArray, tokenIs0).map((start) => ({
      start,
      at: protocol.tickArrayAddress(pool, start),
    }))
  const ticksIn = (accounts: Accounts, { start, at }: { start: number; at: SolanaAddress }): Tick[] => {
    const array = accounts.get(at)
    if (array?.owner !== protocol.program) return []
    return readTicks(protocol, array, { pool, start, tickSpacing: state.tickSpacing })
  }
  return {
    address: pool,
    mints: state.tokens,
    // The quote side, if the liquidity continued at all prices.
    weight: (tokenIs0) => (tokenIs0 ? (liquidity * sqrtPrice) / Q64 : (liquidity * Q64) / sqrtPrice),
    needs: (tokenIs0) => [...needs, state.vaults[quoteSide(tokenIs0)], ...arraysOf(tokenIs0).map(({ at }) => at)],
    finish(tokenIs0, accounts, time) {
      const quote = quoteSide(tokenIs0)
      const of = { mint: state.tokens[quote] }
      const arrays = arraysOf(tokenIs0)
      const ahead = arrays
        .flatMap((array) => ticksIn(accounts, array))
        .filter(({ tick }) => (tokenIs0 ? tick <= state.tick : tick > state.tick))
      const last = arrays.at(-1)?.start ?? 0
      return {
        kind: 'uniswap_v3',
        tokenIs0,
        quoteBalance: heldAmount(accounts.get(state.vaults[quote]), 'vault of a pool', of),
        ...terms(accounts, time),
        tick: state.tick,
        liquidity,
        sqrtPriceX96: sqrtPrice << X96_OF_X64,
        crossings: ahead.toSorted((a, b) => (tokenIs0 ? b.tick - a.tick : a.tick - b.tick)),
        knownTo: tokenIs0 ? last : last + state.tickSpacing * protocol.ticksPerArray,
      }
    },
  }
}

function arrayStarts({ tick, tickSpacing }: RangeState, ticksPerArray: number, tokenIs0: boolean): number[] {
  const span = tickSpacing * ticksPerArray
  const first = arrayStart(tick, ticksPerArray, tickSpacing)
  const count = Math.min(MOST_ARRAYS, 1 + Math.ceil(TICKS_FOLLOWED / span))
  return Array.from({ length: count }, (_, index) => first + (tokenIs0 ? -index : index) * span)
}

/** For the pools that Orca lists. */
const CONFIG: SolanaAddress = '2LecshUwdy9xi7meFgHtFJQNSKk4KdTrcpvaB56dP2NQ'

/** Whirlpools keep no past prices. */
export const whirlpoolPools = rangeProgram({
  source: 'orca',
  protocol: whirlpools,
  addresses: (mints) => {
    const seeds = [CONFIG, ...mints].map(addressBytes)
    return whirlpools.tickSpacings.map((spacing) =>
      programAddress(whirlpools.program, ['whirlpool', ...seeds, integerSeed(spacing, 2)]),
    )
  },
  open(account) {
    const { feeMillionths, ...state } = readState(account)
    return { state, needs: [], terms: () => ({ feeMillionths, meanTick: null }) }
  },
})
