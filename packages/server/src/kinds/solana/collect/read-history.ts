import type { WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Chain } from '../../chain.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { Tokens } from '../../tokens.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import type { SolanaFamily } from '../families/family.ts'
import { readSolanaTransactions } from '../history/read-transactions.ts'
import { createSolanaBook } from '../history/solana-book.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'

/** What transactions on Solana mean for wallets, by what is known of the programs and mints in them. */
export function createReadHistory({
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
    { chain: key, wallet }: WalletOnChain,
    transactions: readonly SolanaTransaction[],
  ): Promise<WalletTransaction[]> {
    const known = await tokens.of(ofEnabled(chains, key))
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
