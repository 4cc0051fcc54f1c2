import type { EvmAddress } from '../../domain/evm-address.ts'
import type { ChainTransaction } from '../../domain/transaction.ts'
import type { HistoryBook } from './book.ts'

/** A transaction as one wallet sees it. */
export type Scene = {
  tx: ChainTransaction
  wallet: EvmAddress
  book: HistoryBook
  /** The wallet itself sent it. */
  sent: boolean
}
