import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { addressBytes } from '../codec/address-bytes.ts'
import type { PoolProgram } from './solana-pool.ts'

/** A pool that there may be: of which program, and which of its tokens is the quote token. */
export type PlacedPool = { at: SolanaAddress; program: PoolProgram; quote: SolanaAddress }

/** Searched anew after so long: new pools are made, and the deepest is seldom a new one. */
const SEARCH_SECONDS = 3_600
/** Tokens of one read that are searched: each takes some seventy addresses. Those that were left take their turn at the next. */
const SEARCHED_A_READ = 10
/** Tokens that are remembered. */
const REMEMBERED = 5_000

/**
 * Which pools of a token to read. Where they may be follows from the token, for there are few kinds of them; those that there
 * turned out to be are remembered, so that the rest is not asked for with every read. What is forgotten is found again.
 */
export type PoolSearch = {
  /** `time`: Unix seconds. Tokens beyond what one read may search have no entry. */
  placesOf(tokens: readonly SolanaAddress[], time: number): Map<SolanaAddress, readonly PlacedPool[]>
  /** Of what `placesOf` said, what there is. */
  found(token: SolanaAddress, pools: readonly PlacedPool[], time: number): void
}

export function createPoolSearch(programs: readonly PoolProgram[], quotes: readonly SolanaAddress[]): PoolSearch {
  const known = new Map<SolanaAddress, { pools: readonly PlacedPool[]; searchedAt: number }>()
  return {
    placesOf(tokens, time) {
      const places = new Map<SolanaAddress, readonly PlacedPool[]>()
      let searched = 0
      for (const token of tokens) {
        const before = known.get(token)
        if (before && time - before.searchedAt < SEARCH_SECONDS) places.set(token, before.pools)
        else if (searched < SEARCHED_A_READ) {
          searched += 1
          places.set(token, everywhere(token, programs, quotes))
        } else if (before) places.set(token, before.pools)
      }
      return places
    },
    found(token, pools, time) {
      const before = known.get(token)
      const searchedAt = before && time - before.searchedAt < SEARCH_SECONDS ? before.searchedAt : time
      known.delete(token)
      known.set(token, { pools, searchedAt })
      const [oldest] = known.keys()
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest)
    },
  }
}

function everywhere(
  token: SolanaAddress,
  programs: readonly PoolProgram[],
  quotes: readonly SolanaAddress[],
): PlacedPool[] {
  return quotes
    .filter((quote) => quote !== token)
    .flatMap((quote) => {
      const mints = isBefore(token, quote) ? ([token, quote] as const) : ([quote, token] as const)
      return programs.flatMap((program) => program.addresses(mints).map((at) => ({ at, program, quote })))
    })
}

/** The programs order mints by their bytes. */
function isBefore(a: SolanaAddress, b: SolanaAddress): boolean {
  return Buffer.compare(addressBytes(a), addressBytes(b)) < 0
}
