import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Chain } from '../../chain.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { Tokens } from '../../tokens.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import type { Mint } from '../codec/token-program.ts'
import { readSolanaTransactions } from '../decode/read-transactions.ts'
import { createSolanaBook } from '../decode/solana-book.ts'
import type { SolanaAdapter } from '../protocols/adapter.ts'
import { readMints, type UnscaledMints } from '../reader/mints.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'

export function createReadHistory({
  chains,
  adaptersOf,
  tokens,
  unscaled,
  openReader,
}: {
  chains: ReadonlyMap<string, Chain>
  adaptersOf(chain: string): readonly SolanaAdapter[]
  tokens: Tokens<SolanaReader>
  unscaled: UnscaledMints
  openReader(chain: string): SolanaReader
}) {
  /** Pass transactions of one slot together. Rejects with `UpstreamError` if a node failure leaves mints unknown. */
  return async function read(
    { chain: key, wallet }: WalletOnChain,
    transactions: readonly SolanaTransaction[],
  ): Promise<WalletTransaction[]> {
    const known = await tokens.of(ofEnabled(chains, key))
    const balances = transactions.flatMap(({ tokensBefore, tokensAfter }) => [...tokensBefore, ...tokensAfter])
    const mints = new Set(balances.filter(({ owner }) => owner === wallet).map(({ mint }) => mint))
    const reader = openReader(key)
    const [scaled] = await Promise.all([readScaled(reader, mints), known.learn(reader, mints)])
    const isSpam = (mint: string) => {
      const token = known.find(mint)
      return token !== undefined && known.isSpam(token)
    }
    const book = createSolanaBook({ families: adaptersOf(key), isSpam })
    return readSolanaTransactions(transactions, wallet, book).map((transaction) => withUnits(transaction, scaled))
  }

  async function readScaled(reader: SolanaReader, mints: Iterable<SolanaAddress>) {
    const found = await readMints(
      reader,
      [...mints].filter((mint) => !unscaled.has(mint)),
    )
    for (const mint of found.values()) unscaled.note(mint)
    return found
  }
}

function withUnits(transaction: WalletTransaction, mints: ReadonlyMap<SolanaAddress, Mint>): WalletTransaction {
  const { time } = transaction
  const movements = transaction.movements.map((movement) => {
    const mint = mints.get(movement.token)
    const multiplier = mint?.multiplierAt?.(time)?.toFixed()
    if (!mint || multiplier === undefined) return movement
    return { ...movement, unit: { multiplier, known: time >= mint.multiplierSince } }
  })
  return { ...transaction, movements }
}
