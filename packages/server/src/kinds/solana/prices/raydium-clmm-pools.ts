import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, invalid, openAccount, openExisting } from '../codec/account-data.ts'
import { addressBytes } from '../codec/address-bytes.ts'
import { programAddress } from '../codec/program-address.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import { bigEndian, CONFIG_SEED, configAddresses } from './raydium-configs.ts'
import {
  type Accounts,
  arrayStarts,
  type Concentrated,
  type PoolHead,
  type PoolProgram,
  rangePool,
  type Tick,
  vaultBalance,
  virtualQuote,
} from './solana-pool.ts'

const PROGRAM: SolanaAddress = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
/** As many configurations as Raydium has made, with room. */
const configs = configAddresses(PROGRAM, 10)
const TICKS_PER_ARRAY = 60

const poolLayout: AccountLayout = {
  what: 'pool of Raydium CLMM',
  programs: [PROGRAM],
  discriminator: 'iUE1qg7KXeV',
  minLength: 1_544,
}
const POOL_CONFIG = 9
const MINT_0 = 73
const MINT_1 = 105
const VAULT_0 = 137
const VAULT_1 = 169
const OBSERVATION = 201
const TICK_SPACING = 235
const LIQUIDITY = 237
const SQRT_PRICE = 253
const TICK = 269
const STATUS = 389
const NO_SWAPS = 1 << 4

const configLayout: AccountLayout = {
  what: 'configuration of Raydium CLMM',
  programs: [PROGRAM],
  discriminator: CONFIG_SEED.discriminator,
  minLength: 53,
}
const TRADE_FEE = 47

const arrayLayout: AccountLayout = {
  what: 'tick array of Raydium',
  programs: [PROGRAM],
  discriminator: 'ZDXZt35PxpR',
  minLength: 10_240,
}
const ARRAY_POOL = 8
const ARRAY_START = 40
const ARRAY_TICKS = 44
const TICK_BYTES = 168
const TICK_NET = 4
const TICK_GROSS = 20

const observationLayout: AccountLayout = {
  what: 'observations of Raydium',
  programs: [PROGRAM],
  minLength: 4_483,
}
const OBSERVED_INDEX = 17
const OBSERVED_POOL = 19
const OBSERVATIONS = 51
const OBSERVATION_BYTES = 44
const OBSERVATION_COUNT = 100
const TICK_CUMULATIVE = 4

/** The period of the mean, and the part of it that must be recorded. */
const MEAN_SECONDS = 1_800
const LEAST_SECONDS = 600

/** Concentrated liquidity of Raydium. Its pools note their tick every fifteen seconds that they are traded in. */
export const raydiumClmmPools: PoolProgram = {
  source: 'raydium_clmm',
  kind: 'range',
  program: PROGRAM,
  addresses: ([mint0, mint1]) =>
    configs().map((config) =>
      programAddress(PROGRAM, ['pool', addressBytes(config), addressBytes(mint0), addressBytes(mint1)]),
    ),
  open: readHead,
}

function readHead(account: SolanaAccount): PoolHead | undefined {
  const data = openAccount(account, poolLayout)
  if (data.u8(STATUS) & NO_SWAPS) return undefined
  const { address } = account
  const pool: Concentrated = {
    liquidity: data.u128(LIQUIDITY),
    sqrtPriceX64: data.u128(SQRT_PRICE),
    tick: data.i32(TICK),
    tickSpacing: data.u16(TICK_SPACING),
    ticksPerArray: TICKS_PER_ARRAY,
  }
  const mints = [data.key(MINT_0), data.key(MINT_1)] as const
  const [config, observation] = [data.key(POOL_CONFIG), data.key(OBSERVATION)]
  const quoteOf = (tokenIs0: boolean) =>
    tokenIs0 ? { mint: mints[1], vault: data.key(VAULT_1) } : { mint: mints[0], vault: data.key(VAULT_0) }
  const arraysOf = (tokenIs0: boolean) =>
    arrayStarts(pool, tokenIs0).map((start) => ({ start, at: arrayAddress(address, start) }))
  return {
    address,
    mints,
    weight: (tokenIs0) => virtualQuote(pool, tokenIs0),
    needs: (tokenIs0) => [config, observation, quoteOf(tokenIs0).vault, ...arraysOf(tokenIs0).map(({ at }) => at)],
    finish(tokenIs0, accounts, time) {
      const { mint, vault } = quoteOf(tokenIs0)
      return rangePool(pool, {
        tokenIs0,
        quoteBalance: vaultBalance(vault, mint, accounts),
        feeMillionths: openExisting(accounts.get(config), configLayout).u32(TRADE_FEE),
        meanTick: meanTick(accounts.get(observation), { address, tick: pool.tick, time }),
        ticks: arraysOf(tokenIs0).flatMap((array) => ticksIn(accounts, { ...array, address })),
      })
    },
  }
}

function arrayAddress(pool: SolanaAddress, start: number): SolanaAddress {
  return programAddress(PROGRAM, ['tick_array', addressBytes(pool), bigEndian(start, 4)])
}

function ticksIn(
  accounts: Accounts,
  { start, at, address }: { start: number; at: SolanaAddress; address: SolanaAddress },
): Tick[] {
  const account = accounts.get(at)
  if (account?.owner !== PROGRAM) return []
  const data = openAccount(account, arrayLayout)
  if (data.i32(ARRAY_START) !== start || data.key(ARRAY_POOL) !== address) {
    throw invalid(arrayLayout.what, at, 'is of another pool')
  }
  return Array.from({ length: TICKS_PER_ARRAY }, (_, index) => ARRAY_TICKS + index * TICK_BYTES).flatMap((offset) =>
    data.u128(offset + TICK_GROSS) === 0n ? [] : [{ tick: data.i32(offset), net: data.i128(offset + TICK_NET) }],
  )
}

type Note = { time: number; cumulative: bigint }

/**
 * The mean tick of the last half hour, or of the part that was recorded; null if that is less than ten minutes. Records
 * are sums up to their time; since the newest one, the pool's current tick counts.
 */
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
  if (data.key(OBSERVED_POOL) !== pool) throw invalid(observationLayout.what, data.address, 'are of another pool')
  const newest = data.u16(OBSERVED_INDEX)
  return Array.from({ length: OBSERVATION_COUNT }, (_, back) => {
    const index = (newest - back + OBSERVATION_COUNT) % OBSERVATION_COUNT
    const at = OBSERVATIONS + index * OBSERVATION_BYTES
    return { time: data.u32(at), cumulative: data.i64(at + TICK_CUMULATIVE) }
  }).filter((note) => note.time > 0)
}

function between(older: Note, newer: Note, time: number): Note {
  const grown = newer.cumulative - older.cumulative
  const share = (grown * BigInt(time - older.time)) / BigInt(newer.time - older.time)
  return { time, cumulative: older.cumulative + share }
}
