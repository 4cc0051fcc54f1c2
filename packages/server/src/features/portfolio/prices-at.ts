import type { Chain } from '../../chains/chain.ts'
import type { EvmReader, PlannedCall } from '../../chains/evm/evm-reader.ts'
import { RpcRefusal } from '../../chains/evm/json-rpc.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { Price } from '../../domain/price.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { PriceGraph } from '../../prices/price-graph.ts'
import type { Instruments } from './instruments.ts'
import { type Owners, ownersOf, receiptBook } from './receipt-book.ts'
import type { Tokens } from './tokens.ts'

/**
 * What tokens were worth at a past block, as far as anybody knows; `time` in Unix seconds. Amounts are what moved: a pool
 * pays less for more. Rejects with `UpstreamError` when a source that may know fails. A node that has no state of the block
 * leaves the dated sources.
 */
export type PricesAt = (
  chain: string,
  at: { block: bigint; time: number },
  amounts: ReadonlyMap<EvmAddress, bigint>,
) => Promise<ReadonlyMap<EvmAddress, Price>>

export function createPricesAt({
  chains,
  openReader,
  tokens,
  instruments,
  prices,
}: {
  /** Those that are enabled. */
  chains: ReadonlyMap<string, Chain>
  openReader(chain: string, plan: readonly PlannedCall[], at: bigint): EvmReader
  tokens: Tokens
  instruments: Pick<Instruments, 'of'>
  prices: PriceGraph
}): PricesAt {
  return async function pricesAt(chainKey, { block, time }, amounts) {
    const chain = chains.get(chainKey)
    if (!chain) throw new UpstreamError('not-allowed', `${chainKey} is not enabled`)
    const [rows, ofChain] = await Promise.all([instruments.of(chain), tokens.of(chain)])
    const owners = ownersOf(rows)
    const reader = openReader(chainKey, [], block)
    const session = prices.open(
      { chain, reader, asOf: time, readAhead: false },
      receiptBook({ owners, tokens: ofChain }, reader),
    )
    const worthOf = new Map([...amounts.keys()].map((token) => [token, stoodFor(token, owners)]))
    const requests = [...amounts].flatMap(([address, amountRaw]) => {
      const token = ofChain.find(worthOf.get(address) ?? address)
      return token ? [{ token, amountRaw }] : []
    })
    const [found, hasState] = await Promise.all([session.price(requests), knowsBlock(reader)])
    if (hasState && session.unsettled().size > 0) {
      throw new UpstreamError('unavailable', `a source of prices of ${chainKey} failed`)
    }
    return new Map(
      [...worthOf].flatMap(([address, token]) => {
        const price = found.get(token)
        return price ? [[address, price] as const] : []
      }),
    )
  }
}

/** A unit of a debt is a unit of what is owed. */
function stoodFor(token: EvmAddress, owners: Owners): EvmAddress {
  const instrument = owners.get(token)?.instrument
  const [underlying, ...others] = instrument?.underlyings ?? []
  return instrument && !instrument.fungible && underlying && others.length === 0 ? underlying : token
}

/** False: the node has dropped the state of the block. */
async function knowsBlock(reader: EvmReader): Promise<boolean> {
  try {
    await reader.header()
    return true
  } catch (error) {
    if (error instanceof RpcRefusal && error.kind === 'unknown-block') return false
    throw error
  }
}
