import type { SolanaAddress } from '../../../domain/solana-address.ts'
import {
  type AccountData,
  type AccountLayout,
  anchorLayout,
  invalid,
  openExisting,
  places,
  type SolanaAccount,
  struct,
} from '../codec/account-data.ts'
import {
  CLMM_PROGRAM,
  readTicks,
  readTradedPool,
  TICKS_PER_ARRAY,
  tickArrayAddress,
} from '../protocols/raydium-clmm/layout.ts'
import { rangeProgram } from './range-program.ts'
import { CONFIG_SEED, configAddresses, poolAddresses } from './raydium-configs.ts'

/** More than Raydium has. */
const configs = configAddresses(CLMM_PROGRAM, 10)

const configLayout = anchorLayout('configuration of Raydium CLMM', CLMM_PROGRAM, CONFIG_SEED.discriminator, 53)
const TRADE_FEE = 47

const observationLayout: AccountLayout = {
  what: 'observations of Raydium',
  programs: [CLMM_PROGRAM],
  minLength: 4_483,
}
const observationFields = struct({ newest: ['u16', 17], pool: ['key', 19] })
const NOTES = places({ from: 51, count: 100, size: 44 })
const noteFields = struct({ time: ['u32', 0], cumulative: ['i64', 4] })

const MEAN_SECONDS = 1_800
const LEAST_SECONDS = 600

/** Traded pools record their tick every fifteen seconds. */
export const raydiumClmmPools = rangeProgram({
  source: 'raydium_clmm',
  program: CLMM_PROGRAM,
  addresses: poolAddresses(CLMM_PROGRAM, configs),
  ticksPerArray: TICKS_PER_ARRAY,
  tickArrayAddress,
  readTicks,
  open(account) {
    const { state, config, observation, isOpen } = readTradedPool(account)
    if (!isOpen) return undefined
    const { address } = account
    return {
      state,
      needs: [config, observation],
      terms: (accounts, time) => ({
        feeMillionths: openExisting(accounts.get(config), configLayout).u32(TRADE_FEE),
        meanTick: meanTick(accounts.get(observation), { address, tick: state.tick, time }),
      }),
    }
  },
})

type Note = ReturnType<typeof noteFields>

/** Mean of the last half hour, null below ten minutes of records. Records are cumulative. */
function meanTick(
  account: SolanaAccount | null | undefined,
  { address, tick, time }: { address: SolanaAddress; tick: number; time: number },
): number | null {
  const notes = notesIn(openExisting(account, observationLayout), address)
  const [last] = notes
  if (!last) return null
  const now = { time, cumulative: last.cumulative + BigInt(tick) * BigInt(Math.max(0, time - last.time)) }
  const all = [now, ...notes]
  const began = time - MEAN_SECONDS
  const before = all.findIndex((note) => note.time <= began)
  const [older, newer] = [all[before], all[before - 1]]
  const from = older && newer ? between(older, newer, began) : (all.at(-1) ?? now)
  const seconds = now.time - from.time
  return seconds < LEAST_SECONDS ? null : Number((now.cumulative - from.cumulative) / BigInt(seconds))
}

/** Newest first. */
function notesIn(data: AccountData, pool: SolanaAddress): Note[] {
  const observed = observationFields(data)
  if (observed.pool !== pool) throw invalid(observationLayout.what, data.address, 'are of another pool')
  const oldestFirst = [...NOTES.slice(observed.newest + 1), ...NOTES.slice(0, observed.newest + 1)]
  return oldestFirst
    .map((at) => noteFields(data, at))
    .filter((note) => note.time > 0)
    .toReversed()
}

function between(older: Note, newer: Note, time: number): Note {
  const grown = newer.cumulative - older.cumulative
  const share = (grown * BigInt(time - older.time)) / BigInt(newer.time - older.time)
  return { time, cumulative: older.cumulative + share }
}
