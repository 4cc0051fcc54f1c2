import type { WalletTransaction } from '../../domain/transaction.ts'
import type { Chain } from '../../kinds/chain.ts'
import type { SolanaTransaction } from '../../kinds/solana/codec/solana-transaction.ts'
import type { SolanaFamily } from '../../kinds/solana/families/family.ts'
import { readSolanaTransactions } from '../../kinds/solana/history/read-transactions.ts'
import { createSolanaBook } from '../../kinds/solana/history/solana-book.ts'
import type { SolanaReader } from '../../kinds/solana/reader/solana-reader.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { Tokens } from '../portfolio/tokens.ts'

/** What transactions on Solana mean for wallets, by what is known of the programs and mints in them. */
export function createReadSolanaHistory({
  chains,
  familiesOf,
  tokens,
  openReader,
}: {
  /** Those of Solana's kind that are enabled. */
  chains: ReadonlyMap<string, Chain>
  familiesOf(chain: string): readonly SolanaFamily[]
  tokens: Tokens<SolanaReader>
  openReader(chain: string): SolanaReader
}) {
  /**
   * Transactions of one slot must be passed together. Rejects with `UpstreamError` if a node failure leaves mints
   * unknown.
   */
  return async function read(
    { chain: key, wallet }: Searched,
    transactions: readonly SolanaTransaction[],
  ): Promise<WalletTransaction[]> {
    const chain = chains.get(key)
    if (!chain) throw new Error(`${key} is not enabled`)
    const known = await tokens.of(chain)
    const balances = transactions.flatMap(({ tokensBefore, tokensAfter }) => [...tokensBefore, ...tokensAfter])
    const mints = new Set(balances.filter(({ owner }) => owner === wallet).map(({ mint }) => mint))
    await known.learn(openReader(key), mints)
    const isSpam = (mint: string) => {
      const token = known.find(mint)
      return token !== undefined && known.isSpam(token)
    }
    return readSolanaTransactions(transactions, wallet, createSolanaBook({ families: familiesOf(key), isSpam }))
  }
}
