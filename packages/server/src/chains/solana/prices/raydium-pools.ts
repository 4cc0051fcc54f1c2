import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { anchorLayout, invalid, layout, list, readAccount, type SolanaAccount } from '../codec/account-data.ts'
import { addressBytes, bigEndianSeed, programAddress } from '../codec/address.ts'
import { heldAmount } from '../codec/token-program.ts'
import { clmm, readOpenPool } from '../protocols/raydium-clmm/adapter.ts'
import { CPMM_PROGRAM, readOpenCpmm } from '../protocols/raydium-pools/adapter.ts'
import type { PoolHead, PoolProgram } from './pool-search.ts'
import { rangeProgram } from './range-pools.ts'

const CONFIG = { seed: 'amm_config', discriminator: 'dd8DvH45THQ' } as const

function poolAddresses(program: SolanaAddress, configs: number): PoolProgram['addresses'] {
  let known: readonly SolanaAddress[] | undefined
  return (mints) => {
    known ??= Array.from({ length: configs }, (_, index) =>
      programAddress(program, [CONFIG.seed, bigEndianSeed(index, 2)]),
    )
    const [mint0, mint1] = mints.map(addressBytes)
    return known.map((config) => programAddress(program, ['pool', addressBytes(config), mint0 ?? '', mint1 ?? '']))
  }
}

/** More than Raydium has. */
const CLMM_CONFIGS = 10
/** More than pools use. */
const CPMM_CONFIGS = 5

const CLMM_CONFIG = anchorLayout('configuration of Raydium CLMM', clmm.program, CONFIG.discriminator, 53, {
  tradeFee: ['u32', 47],
})

const OBSERVATIONS = layout(
  { what: 'observations of Raydium', programs: [clmm.program], minLength: 4_483 },
  {
    newest: ['u16', 17],
    pool: ['key', 19],
    notes: list({ from: 51, count: 100, size: 44 }, { time: ['u32', 0], cumulative: ['i64', 4] }),
  },
)

const MEAN_SECONDS = 1_800
const LEAST_SECONDS = 600

export const raydiumClmmPools = rangeProgram({
  source: 'raydium_clmm',
  protocol: clmm,
  addresses: poolAddresses(clmm.program, CLMM_CONFIGS),
  open(account) {
    const state = readOpenPool(account)
    if (!state) return undefined
    const { address, config, observation, tick } = state
    return {
      state,
      needs: [config, observation],
      terms: (accounts, time) => ({
        feeMillionths: readAccount(accounts.get(config), CLMM_CONFIG).tradeFee,
        meanTick: meanTick(accounts.get(observation), { address, tick, time }),
      }),
    }
  },
})

type Note = { time: number; cumulative: bigint }

/** Mean of the last half hour, null below ten minutes of records. Records are cumulative. */
function meanTick(
  account: SolanaAccount | null | undefined,
  { address, tick, time }: { address: SolanaAddress; tick: number; time: number },
): number | null {
  const notes = notesIn(account, address)
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

function notesIn(account: SolanaAccount | null | undefined, of: SolanaAddress): Note[] {
  const { address, pool, newest, notes } = readAccount(account, OBSERVATIONS)
  if (pool !== of) throw invalid(OBSERVATIONS.what, address, 'are of another pool')
  const oldestFirst = [...notes.slice(newest + 1), ...notes.slice(0, newest + 1)]
  return oldestFirst.filter((note) => note.time > 0).toReversed()
}

function between(older: Note, newer: Note, time: number): Note {
  const grown = newer.cumulative - older.cumulative
  const share = (grown * BigInt(time - older.time)) / BigInt(newer.time - older.time)
  return { time, cumulative: older.cumulative + share }
}

const CPMM_CONFIG = anchorLayout('configuration of Raydium CPMM', CPMM_PROGRAM, CONFIG.discriminator, 116, {
  tradeFee: ['u64', 12],
  creatorFee: ['u64', 108],
})
const MILLION = 1_000_000

export const raydiumCpmmPools: PoolProgram = {
  source: 'raydium_cpmm',
  kind: 'pair',
  program: CPMM_PROGRAM,
  addresses: poolAddresses(CPMM_PROGRAM, CPMM_CONFIGS),
  open: readHead,
}

function readHead(account: SolanaAccount, time: number): PoolHead | undefined {
  const pool = readOpenCpmm(account, time)
  if (!pool) return undefined
  const { address, tokens, vaults, owed, shares, config, hasCreatorFee } = pool
  return {
    address,
    mints: tokens,
    weight: () => shares,
    needs: () => [config, ...vaults],
    finish(tokenIs0, accounts) {
      const reserveOf = (side: 0 | 1) =>
        heldAmount(accounts.get(vaults[side]), 'vault of a pool', { mint: tokens[side] }) - owed[side]
      const [tokenReserve, quoteReserve] = tokenIs0 ? [reserveOf(0), reserveOf(1)] : [reserveOf(1), reserveOf(0)]
      if (tokenReserve <= 0n || quoteReserve <= 0n) return undefined
      const { tradeFee, creatorFee } = readAccount(accounts.get(config), CPMM_CONFIG)
      const fee = tradeFee + (hasCreatorFee ? creatorFee : 0n)
      return { kind: 'uniswap_v2', tokenReserve, quoteReserve, feeMillionths: Math.min(Number(fee), MILLION) }
    },
  }
}
