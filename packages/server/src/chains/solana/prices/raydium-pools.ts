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
import { addressBytes, bigEndianSeed, programAddress } from '../codec/address.ts'
import { heldAmount } from '../codec/token-program.ts'
import {
  CLMM_PROGRAM,
  readTicks,
  readTradedPool,
  TICKS_PER_ARRAY,
  tickArrayAddress,
} from '../protocols/raydium-clmm/layout.ts'
import { CPMM_PROGRAM, readCpmmTrade } from '../protocols/raydium-pools/layout.ts'
import type { PoolHead, PoolProgram } from './pool-search.ts'
import { rangeProgram } from './range-pools.ts'

const CONFIG_SEED = { name: 'amm_config', discriminator: 'dd8DvH45THQ' } as const

function poolAddresses(program: SolanaAddress, configs: number): PoolProgram['addresses'] {
  let known: readonly SolanaAddress[] | undefined
  return ([mint0, mint1]) => {
    known ??= Array.from({ length: configs }, (_, index) =>
      programAddress(program, [CONFIG_SEED.name, bigEndianSeed(index, 2)]),
    )
    return known.map((config) =>
      programAddress(program, ['pool', addressBytes(config), addressBytes(mint0), addressBytes(mint1)]),
    )
  }
}

/** More than Raydium has. */
const CLMM_CONFIGS = 10
/** More than pools use. */
const CPMM_CONFIGS = 5

const clmmConfigLayout = anchorLayout('configuration of Raydium CLMM', CLMM_PROGRAM, CONFIG_SEED.discriminator, 53)
const CLMM_TRADE_FEE = 47

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
  addresses: poolAddresses(CLMM_PROGRAM, CLMM_CONFIGS),
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
        feeMillionths: openExisting(accounts.get(config), clmmConfigLayout).u32(CLMM_TRADE_FEE),
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

const cpmmConfigLayout = anchorLayout('configuration of Raydium CPMM', CPMM_PROGRAM, CONFIG_SEED.discriminator, 116)
const CPMM_TRADE_FEE = 12
const CREATOR_FEE_RATE = 108
const MILLION = 1_000_000

/** Recorded past prices are not used. */
export const raydiumCpmmPools: PoolProgram = {
  source: 'raydium_cpmm',
  kind: 'pair',
  program: CPMM_PROGRAM,
  addresses: poolAddresses(CPMM_PROGRAM, CPMM_CONFIGS),
  open: readHead,
}

function readHead(account: SolanaAccount, time: number): PoolHead | undefined {
  const { pool, config, hasCreatorFee, isOpen } = readCpmmTrade(account, time)
  if (!isOpen) return undefined
  return {
    address: account.address,
    mints: pool.tokens,
    weight: () => pool.shares,
    needs: () => [config, ...pool.vaults],
    finish(tokenIs0, accounts) {
      const reserveOf = (side: 0 | 1) => {
        const of = { mint: pool.tokens[side] }
        return heldAmount(accounts.get(pool.vaults[side]), 'vault of a pool', of) - pool.owed[side]
      }
      const [tokenReserve, quoteReserve] = tokenIs0 ? [reserveOf(0), reserveOf(1)] : [reserveOf(1), reserveOf(0)]
      if (tokenReserve <= 0n || quoteReserve <= 0n) return undefined
      const rates = openExisting(accounts.get(config), cpmmConfigLayout)
      const fee = rates.u64(CPMM_TRADE_FEE) + (hasCreatorFee ? rates.u64(CREATOR_FEE_RATE) : 0n)
      return { kind: 'uniswap_v2', tokenReserve, quoteReserve, feeMillionths: Math.min(Number(fee), MILLION) }
    },
  }
}
