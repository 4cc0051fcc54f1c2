import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Chain } from './chain.ts'

/**
 * Metadata of one chain's tokens. `find` answers from memory, so that no query splits a wave of reads. It is reliable
 * for tokens that were loaded, learned or kept before.
 */
export type KnownTokens = {
  find(address: Address): Token | undefined
  /** Whether the token imitates a listed one or advertises; then it is never worth anything. */
  isSpam(token: Token): boolean
  /** Loads what any process learned of these tokens. No query if they are in memory already. */
  load(addresses: Iterable<Address>): Promise<void>
  /** As `load`, but never evicted. For bounded sets: contracts of protocols. */
  keep(addresses: Iterable<Address>): Promise<void>
}

/** `R`: how the chain is read. */
export type ChainTokens<R> = KnownTokens & {
  /** Asks the chain about contracts that no process asked about before, and stores the answers. */
  learn(reader: R, addresses: Iterable<Address>): Promise<void>
  /** Asks listed tokens once for their decimals, which then replace those of the list. */
  check(reader: R, addresses: Iterable<Address>): Promise<void>
}

export type Tokens<R> = { of(chain: Chain): Promise<ChainTokens<R>> }

/** The listed tokens of each chain. */
export type ListedTokens = {
  /** The native coin first. Empty for an unknown chain. */
  list(chain: string): readonly Token[]
  find(chain: string, address: Address): Token | undefined
}

/** What contracts say of themselves; null for what is no token. */
export type ReadMetadata<R> = (
  reader: R,
  chain: string,
  addresses: readonly Address[],
) => Promise<ReadonlyMap<Address, Token | null>>
