import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Pool, RangePool } from '../../../prices/pool.ts'
import { type AccountLayout, invalid, openAccount } from '../codec/account-data.ts'
import { TOKEN_PROGRAMS } from '../codec/mint.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'

/** Accounts that were asked for, by address; null where there is none. */
export type Accounts = ReadonlyMap<SolanaAddress, SolanaAccount | null>

/** A pool as its own account tells it: what a price needs beside is in other accounts, which it names. */
export type PoolHead = {
  address: SolanaAddress
  /** In the order of the program. */
  mints: readonly [SolanaAddress, SolanaAddress]
  /** What stands behind the price as far as the pool itself tells, to choose among pools of the same kind and tokens. */
  weight(tokenIs0: boolean): bigint
  /** What a sale of the first or of the second token has to be worked out from. */
  needs(tokenIs0: boolean): readonly SolanaAddress[]
  /** Undefined where nothing can be bought. Rejects as `UpstreamError('invalid')` accounts that are not what they should be. */
  finish(tokenIs0: boolean, accounts: Accounts, time: number): Pool | undefined
}

/** A program whose pools of two tokens are at addresses that follow from the tokens. */
export type PoolProgram = {
  /** What a price from its pools is called after. */
  source: string
  /** Pools of one kind can be compared by their weight. */
  kind: 'range' | 'pair'
  program: SolanaAddress
  /** Of all the kinds of pools that the program's owner allows; the mints in the program's order. */
  addresses(mints: readonly [SolanaAddress, SolanaAddress]): SolanaAddress[]
  /** Undefined where the pool is closed to trade. */
  open(account: SolanaAccount, time: number): PoolHead | undefined
}

/** A sale is followed at least this far, but for the rest of an array: 1,000 ticks are ten percent in price. */
const TICKS_FOLLOWED = 1_000
/** Arrays of ticks that are read of a pool at most: each has ten kilobytes. */
const MOST_ARRAYS = 3
const Q64 = 1n << 64n
const X96_OF_X64 = 32n

const vaultLayout: AccountLayout = { what: 'vault of a pool', programs: TOKEN_PROGRAMS, minLength: 72 }
const VAULT_AMOUNT = 64

/** What a pool's token account of a mint holds. */
export function vaultBalance(address: SolanaAddress, mint: SolanaAddress, accounts: Accounts): bigint {
  const account = accounts.get(address)
  if (!account) throw invalid(vaultLayout.what, address, 'is missing')
  const data = openAccount(account, vaultLayout)
  if (data.key(0) !== mint) throw invalid(vaultLayout.what, address, 'is of another mint')
  return data.u64(VAULT_AMOUNT)
}

/** A tick at which liquidity changes: by `net` where the price rises through it. */
export type Tick = { tick: number; net: bigint }

/** Liquidity between ticks. The price is √(second token per first) in 64 fractional bits. */
export type Concentrated = {
  liquidity: bigint
  sqrtPriceX64: bigint
  tick: number
  tickSpacing: number
  ticksPerArray: number
}

/** Where the arrays begin that a sale may come through, in its order. */
export function arrayStarts({ tick, tickSpacing, ticksPerArray }: Concentrated, tokenIs0: boolean): number[] {
  const span = tickSpacing * ticksPerArray
  const first = Math.floor(tick / span) * span
  const count = Math.min(MOST_ARRAYS, 1 + Math.ceil(TICKS_FOLLOWED / span))
  return Array.from({ length: count }, (_, index) => first + (tokenIs0 ? -index : index) * span)
}

/** The quote tokens that liquidity would amount to if it went on as here. */
export function virtualQuote({ liquidity, sqrtPriceX64 }: Concentrated, tokenIs0: boolean): bigint {
  return tokenIs0 ? (liquidity * sqrtPriceX64) / Q64 : (liquidity * Q64) / sqrtPriceX64
}

/** The pool as a sale meets it, of the ticks of those arrays. An array that is not there has no ticks in use. */
export function rangePool(
  pool: Concentrated,
  of: {
    tokenIs0: boolean
    quoteBalance: bigint
    feeMillionths: number
    meanTick: number | null
    ticks: readonly Tick[]
  },
): RangePool {
  const { tokenIs0, ticks, ...rest } = of
  const ahead = ticks.filter(({ tick }) => (tokenIs0 ? tick <= pool.tick : tick > pool.tick))
  const last = arrayStarts(pool, tokenIs0).at(-1) ?? 0
  return {
    kind: 'uniswap_v3',
    ...{ tokenIs0, ...rest },
    ...{ tick: pool.tick, liquidity: pool.liquidity, sqrtPriceX96: pool.sqrtPriceX64 << X96_OF_X64 },
    crossings: ahead.toSorted((a, b) => (tokenIs0 ? b.tick - a.tick : a.tick - b.tick)),
    knownTo: tokenIs0 ? last : last + pool.tickSpacing * pool.ticksPerArray,
  }
}
