import type { Address } from '../../../domain/address.ts'
import { type Decimal, toRaw, ZERO } from '../../../domain/decimal.ts'
import type { Price } from '../../../domain/price.ts'
import type { ReadGap } from '../../../domain/wallet-read.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import { priceRead } from '../../shared/price-read.ts'
import type { EvmContext } from './evm-context.ts'
import { ownersOf, receiptDirectory } from './receipt-directory.ts'

export async function readTokens(
  { chains, openReader, tokens, protocolContracts, prices }: EvmContext,
  chainKey: string,
  amounts: ReadonlyMap<Address, Decimal>,
  before: readonly Price[] = [],
) {
  const chain = ofEnabled(chains, chainKey)
  const [rows, ofChain] = await Promise.all([protocolContracts.rowsOf(chain, amounts.keys()), tokens.of(chain)])
  const owners = ownersOf(rows)
  const reader = openReader(chainKey)
  const session = prices.open({ chain, reader }, receiptDirectory({ owners, tokens: ofChain }, reader))
  await ofChain.learn(reader, amounts.keys())
  const found = [...amounts.keys()].flatMap((address) => ofChain.find(address) ?? [])
  const holdings = found.map(({ address, decimals }) => ({
    token: address,
    amountRaw: toRaw(amounts.get(address) ?? ZERO, decimals),
    receipt: owners.get(address)?.protocolContract.fungible ?? false,
  }))
  const priced = await priceRead(session, ofChain, { holdings, inside: [], before })
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
