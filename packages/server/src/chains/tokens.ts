import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Chain } from './chain.ts'

/** `find` reads memory only, so that no query splits a batch. */
export type KnownTokens = {
  find(address: Address): Token | undefined
  isSpam(token: Token): boolean
  load(addresses: Iterable<Address>): Promise<void>
  /** Never evicted: only for bounded sets. */
  keep(addresses: Iterable<Address>): Promise<void>
}

export type ChainTokens<R> = KnownTokens & {
  /** Asks the chain once for all processes. */
  learn(reader: R, addresses: Iterable<Address>): Promise<void>
  /** Replaces the list's decimals by the contract's. */
  check(reader: R, addresses: Iterable<Address>): Promise<void>
}

export type Tokens<R> = { of(chain: Chain): Promise<ChainTokens<R>> }

export type ListedTokens = {
  /** Native coin first. */
  list(chain: string): readonly Token[]
  find(chain: string, address: Address): Token | undefined
}

/** Null: no token. */
export type ReadMetadata<R> = (
  reader: R,
  chain: string,
  addresses: readonly Address[],
) => Promise<ReadonlyMap<Address, Token | null>>
