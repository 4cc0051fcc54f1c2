import type { Address } from '../../domain/address.ts'
import { type Decimal, toRaw } from '../../domain/decimal.ts'
import type { Price } from '../../domain/price.ts'
import type { ReadGap, WalletRead } from '../../domain/wallet-read.ts'
import type { Chain } from '../../kinds/chain.ts'
import type { EvmReader } from '../../kinds/evm/reader/evm-reader.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { PriceGraph } from '../../prices/price-graph.ts'
import type { Instruments } from './instruments.ts'
import { priceRead } from './price-read.ts'
import { ownersOf, receiptBook } from './receipt-book.ts'
import type { Tokens } from './tokens.ts'

/** Tokens as they stand at one block; one that is no token, or cannot be priced, is absent. */
type TokensRead = Pick<WalletRead, 'block' | 'blockTime' | 'tokens' | 'prices' | 'gaps'>

/**
 * Reads what tokens of a chain are and what so much of them is worth, at its latest block. Rejects with `UpstreamError`
 * when the chain cannot be read, `not-allowed` where it is not enabled. `before`: prices to keep where a source fails now.
 */
export type ReadTokens = (
  chain: string,
  amounts: ReadonlyMap<Address, Decimal>,
  before?: readonly Price[],
) => Promise<TokensRead>

export function createReadTokens({
  chains,
  openReader,
  tokens,
  instruments,
  prices,
}: {
  /** Those that are enabled. */
  chains: ReadonlyMap<string, Chain>
  openReader(chain: string): EvmReader
  tokens: Tokens<EvmReader>
  instruments: Pick<Instruments, 'of'>
  prices: PriceGraph<EvmReader>
}): ReadTokens {
  return async function readTokens(chainKey, amounts, before = []) {
    const chain = chains.get(chainKey)
    if (!chain) throw new UpstreamError('not-allowed', `${chainKey} is not enabled`)
    const [rows, ofChain] = await Promise.all([instruments.of(chain), tokens.of(chain)])
    const owners = ownersOf(rows)
    const reader = openReader(chainKey)
    const rawOf = (address: Address) => {
      const [token, amount] = [ofChain.find(address), amounts.get(address)]
      return token && amount && toRaw(amount, token.decimals)
    }
    const session = prices.open({ chain, reader }, receiptBook({ owners, tokens: ofChain, heldOf: rawOf }, reader))
    await ofChain.learn(reader, amounts.keys())
    const found = [...amounts.keys()].flatMap((address) => ofChain.find(address) ?? [])
    const holdings = found.map(({ address }) => ({
      token: address,
      amountRaw: rawOf(address) ?? 0n,
      receipt: owners.get(address)?.instrument.fungible ?? false,
    }))
    const priced = await priceRead(session, ofChain, { holdings, inside: [], before: { prices: [...before] } })
    const header = await reader.header()
    const unknown: ReadGap[] = found.length < amounts.size ? [{ reason: 'unreadable' }] : []
    return {
      block: header.number,
      blockTime: header.timestamp,
      tokens: found,
      prices: priced.prices,
      gaps: [...unknown, ...priced.gaps],
    }
  }
}
