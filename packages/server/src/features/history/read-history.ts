import type { Chain } from '../../chains/chain.ts'
import { topicOfAddress } from '../../chains/evm/erc20-events.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { ChainTransaction, WalletTransaction } from '../../domain/transaction.ts'
import { createHistoryBook, type HistoryBook } from '../../protocols/history/book.ts'
import type { Bridge } from '../../protocols/history/bridge.ts'
import { readTransaction } from '../../protocols/history/read-transaction.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { Instruments } from '../portfolio/instruments.ts'
import type { Recognise } from '../portfolio/recognise.ts'
import type { Tokens } from '../portfolio/tokens.ts'

/** What transactions mean for wallets, by what is known of the contracts in them. */
export function createReadHistory({
  chains,
  instruments,
  tokens,
  recognise,
  bridges,
}: {
  /** Those that are enabled. */
  chains: ReadonlyMap<string, Chain>
  instruments: Pick<Instruments, 'of' | 'allOf'>
  tokens: Tokens
  recognise: Recognise
  bridges: readonly Bridge[]
}) {
  const asked = new Map<string, Set<EvmAddress>>()

  /** By what is known now: for what is only shown. */
  function bookOf(chain: string): Promise<HistoryBook> {
    return bookBy(instruments.of, getChain(chain))
  }

  /** For what is stored. Rejects with `UpstreamError` while a node keeps a protocol's contracts from being known. */
  function wholeBookOf(chain: string): Promise<HistoryBook> {
    return bookBy(instruments.allOf, getChain(chain))
  }

  async function bookBy(rowsOf: Instruments['of'], chain: Chain): Promise<HistoryBook> {
    const [rows, known] = await Promise.all([rowsOf(chain), tokens.of(chain)])
    const isSpam = (address: EvmAddress) => {
      const token = known.find(address)
      return token !== undefined && known.isSpam(token)
    }
    return createHistoryBook({ chain, rows, bridges, isSpam })
  }

  /** Begins to learn what `read` has to know of a chain, while that is searched. Who needs it meets what failed. */
  function prepare(chain: string): void {
    wholeBookOf(chain).catch(() => undefined)
  }

  async function read(
    { chain, wallet }: Searched<EvmAddress>,
    transactions: readonly ChainTransaction[],
  ): Promise<WalletTransaction[]> {
    if (transactions.length === 0) return []
    await learn(getChain(chain), wallet, transactions)
    const book = await wholeBookOf(chain)
    return transactions.map((transaction) => readTransaction(transaction, wallet, book))
  }

  /** Contracts whose logs name the wallet, each asked about once. */
  async function learn(chain: Chain, wallet: EvmAddress, transactions: readonly ChainTransaction[]): Promise<void> {
    const known = asked.get(chain.key) ?? new Set<EvmAddress>()
    asked.set(chain.key, known)
    const topic = topicOfAddress(wallet)
    const logs = transactions.flatMap(({ logs }) => logs.filter(({ topics }) => topics.includes(topic, 1)))
    const fresh = [...new Set(logs.map(({ address }) => address))].filter((address) => !known.has(address))
    await recognise(chain, fresh)
    for (const address of fresh) known.add(address)
  }

  function getChain(key: string): Chain {
    const chain = chains.get(key)
    if (!chain) throw new Error(`${key} is not enabled`)
    return chain
  }

  return { prepare, read, bookOf, wholeBookOf }
}
