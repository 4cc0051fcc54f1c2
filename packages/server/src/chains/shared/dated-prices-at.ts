import type { Address } from '../../domain/address.ts'
import type { Price } from '../../domain/price.ts'
import type { Token } from '../../domain/token.ts'
import { createGate } from '../../lib/concurrency.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { PriceGraph } from '../../prices/price-graph.ts'
import type { Chain } from '../chain.ts'
import { ofEnabled } from '../chain-catalog.ts'
import type { PastAmounts } from '../chain-reading.ts'
import type { Tokens } from '../tokens.ts'

const AT_ONCE = 8

type Context<R> = {
  chains: ReadonlyMap<string, Chain>
  tokens: Tokens<R>
  openReader(chain: string): R
  datedPrices: PriceGraph<R>
}

const gate = createGate(AT_ONCE)

/** Uses only sources that need no past states. */
export async function datedPricesAt<R>(
  { chains, tokens, openReader, datedPrices }: Context<R>,
  chainKey: string,
  asked: readonly PastAmounts[],
): Promise<ReadonlyMap<Address, Price>[]> {
  const chain = ofEnabled(chains, chainKey)
  const known = await tokens.of(chain)
  await known.load(asked.flatMap(({ amounts }) => [...amounts.keys()]))
  const priced = asked.map(({ time, amounts }) =>
    gate(async () => {
      const session = datedPrices.open({ chain, reader: openReader(chainKey), asOf: time, readAhead: false })
      const found = await session.price(requestsOf(known.find, amounts))
      if (session.unsettled().size > 0) {
        throw new UpstreamError('unavailable', `a source of prices of ${chainKey} failed`)
      }
      return found
    }),
  )
  return Promise.all(priced)
}

function requestsOf(find: (address: Address) => Token | undefined, amounts: ReadonlyMap<Address, bigint>) {
  return [...amounts].flatMap(([address, amountRaw]) => {
    const token = find(address)
    return token ? [{ token, amountRaw }] : []
  })
}
