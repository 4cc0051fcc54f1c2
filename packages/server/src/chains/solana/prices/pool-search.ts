import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { BoundedMap } from '../../../lib/bounded-map.ts'
import type { Pool } from '../../../prices/pool.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { addressBytes } from '../codec/address.ts'
import type { Accounts } from '../protocols/account-reads.ts'

export type PoolHead = {
  address: SolanaAddress
  /** In the program's order. */
  mints: readonly [SolanaAddress, SolanaAddress]
  /** Comparable within one `kind` and pair. */
  weight(tokenIs0: boolean): bigint
  needs(tokenIs0: boolean): readonly SolanaAddress[]
  /** Undefined: nothing can be bought. Throws `UpstreamError`. */
  finish(tokenIs0: boolean, accounts: Accounts, time: number): Pool | undefined
}

export type PoolProgram = {
  source: string
  kind: 'range' | 'pair'
  program: SolanaAddress
  addresses(mints: readonly [SolanaAddress, SolanaAddress]): SolanaAddress[]
  /** Undefined: closed to trade. */
  open(account: SolanaAccount, time: number): PoolHead | undefined
}

/** The pool may not exist. */
export type PlacedPool = { at: SolanaAddress; program: PoolProgram; quote: SolanaAddress }

/** `known`: existing pools by token. */
export type PoolSearch = {
  programs: readonly PoolProgram[]
  quotes: readonly SolanaAddress[]
  known: BoundedMap<SolanaAddress, { pools: readonly PlacedPool[]; searchedAt: number }>
}

/** The deepest pool is seldom new. */
const SEARCH_SECONDS = 3_600
/** About 70 addresses each. */
const SEARCHED_A_READ = 10

/** `time`: Unix seconds. Omits tokens beyond the limit. */
export function placesOf(search: PoolSearch, tokens: readonly SolanaAddress[], time: number) {
  const places = new Map<SolanaAddress, readonly PlacedPool[]>()
  const isRecent = (token: SolanaAddress) => time - (search.known.get(token)?.searchedAt ?? -Infinity) < SEARCH_SECONDS
  const searched = new Set(tokens.filter((token) => !isRecent(token)).slice(0, SEARCHED_A_READ))
  for (const token of tokens) {
    const pools = searched.has(token) ? everywhere(search, token) : search.known.get(token)?.pools
    if (pools) places.set(token, pools)
  }
  return places
}

export function noteFound({ known }: PoolSearch, token: SolanaAddress, pools: readonly PlacedPool[], time: number) {
  const before = known.get(token)
  const searchedAt = before && time - before.searchedAt < SEARCH_SECONDS ? before.searchedAt : time
  known.set(token, { pools, searchedAt })
}

function everywhere({ programs, quotes }: PoolSearch, token: SolanaAddress): PlacedPool[] {
  return quotes
    .filter((quote) => quote !== token)
    .flatMap((quote) => {
      // Programs order mints by bytes.
      const isFirst = Buffer.compare(addressBytes(token), addressBytes(quote)) < 0
      const mints = isFirst ? ([token, quote] as const) : ([quote, token] as const)
      return programs.flatMap((program) => program.addresses(mints).map((at) => ({ at, program, quote })))
    })
}
