import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Pool, RangePool } from '../../../prices/pool.ts'
import { type AccountLayout, invalid, openAccount } from '../codec/account-data.ts'
import { TOKEN_PROGRAMS } from '../codec/mint.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'

/** Accounts that were asked for, by address; null where there is none. */
export type Accounts = ReadonlyMap<SolanaAddress, SolanaAccount | null>

/** A pool as its own account shows it. A price needs further accounts, which it names. */
export type PoolHead = {
  address: SolanaAddress
  /** In the order of the program. */
  mints: readonly [SolanaAddress, SolanaAddress]
  /** Depth as far as the pool's own account shows it, to choose among pools of the same kind and tokens. */
  weight(tokenIs0: boolean): bigint
  /** The accounts needed to compute a sale of the first or of the second token. */
  needs(tokenIs0: boolean): readonly SolanaAddress[]
  /**
   * Undefined if nothing can be bought. Throws `UpstreamError('invalid')` for accounts that are not what they should
   * be.
   */
  finish(tokenIs0: boolean, accounts: Accounts, time: number): Pool | undefined
}

/** A program whose pools of two tokens are at addresses that follow from the tokens. */
export type PoolProgram = {
  /** The source name of prices from its pools. */
  source: string
  /** Pools of one kind can be compared by their weight. */
  kind: 'range' | 'pair'
  program: SolanaAddress
  /** Addresses under all known configurations of the program; the mints in the program's order. */
  addresses(mints: readonly [SolanaAddress, SolanaAddress]): SolanaAddress[]
  /** Undefined where the pool is closed to trade. */
  open(account: SolanaAccount, time: number): PoolHead | undefined
}

/** How far a sale is followed, within `MOST_ARRAYS`: 1,000 ticks are ten percent in price. */
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

/** The start ticks of the arrays that a sale may cross, in its order. */
export function arrayStarts({ tick, tickSpacing, ticksPerArray }: Concentrated, tokenIs0: boolean): number[] {
  const span = tickSpacing * ticksPerArray
  const first = Math.floor(tick / span) * span
  const count = Math.min(MOST_ARRAYS, 1 + Math.ceil(TICKS_FOLLOWED / span))
  return Array.from({ length: count }, (_, index) => first + (tokenIs0 ? -index : index) * span)
}

/** The quote tokens that the liquidity would amount to if it continued at all prices. */
export function virtualQuote({ liquidity, sqrtPriceX64 }: Concentrated, tokenIs0: boolean): bigint {
  return tokenIs0 ? (liquidity * sqrtPriceX64) / Q64 : (liquidity * Q64) / sqrtPriceX64
}

/** The pool as a sale meets it, with the ticks of those arrays. A missing array has no ticks in use. */
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
