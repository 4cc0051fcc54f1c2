import type { Chain } from '../../chains/chain.ts'
import type { EvmReader } from '../../chains/evm/evm-reader.ts'
import type { TokenCatalog } from '../../chains/tokens.ts'
import type { Address } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { TokenStore } from './token-store.ts'

/** What is known of the tokens of one chain. `find` answers from memory, so that a wave of reads is not split by a query. */
export type ChainTokens<R = EvmReader> = {
  find(address: Address): Token | undefined
  /** It imitates a listed token or advertises: it is never worth anything. */
  isSpam(token: Token): boolean
  /** Asks the chain about contracts nobody asked about before, and keeps the answers. */
  learn(reader: R, addresses: Iterable<Address>): Promise<void>
}

export type Tokens<R = EvmReader> = { of(chain: Chain): Promise<ChainTokens<R>> }

/** What contracts say of themselves; null for what is no token. */
export type ReadMetadata<R> = (
  reader: R,
  chain: string,
  addresses: readonly Address[],
) => Promise<ReadonlyMap<Address, Token | null>>

/** Tokens by chain: the lists first, then what was read from the chain before. */
export function createTokens<R>({
  catalog,
  store,
  readMetadata,
}: {
  catalog: TokenCatalog
  store: TokenStore
  readMetadata: ReadMetadata<R>
}): Tokens<R> {
  const loaded = new Map<string, ChainTokens<R>>()
  const flights = createSingleFlight<ChainTokens<R>>()

  async function load(chain: Chain): Promise<ChainTokens<R>> {
    const native: Token = { ...chain.native, chain: chain.key, listed: true }
    const read = await store.load(chain.key)
    const find = (address: Address) =>
      address === native.address ? native : (catalog.find(chain.key, address) ?? read.get(address) ?? undefined)

    async function learn(reader: R, addresses: Iterable<Address>): Promise<void> {
      const unknown = [...new Set(addresses)].filter((address) => !find(address) && !read.has(address))
      if (unknown.length === 0) return
      const found = await readMetadata(reader, chain.key, unknown)
      for (const [address, token] of found) read.set(address, token)
      await store.save(chain.key, found)
    }

    const tokens = { find, learn, isSpam: catalog.isSpam }
    loaded.set(chain.key, tokens)
    return tokens
  }

  return { of: async (chain) => loaded.get(chain.key) ?? flights.run(chain.key, () => load(chain)) }
}
