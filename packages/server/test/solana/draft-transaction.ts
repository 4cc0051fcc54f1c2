import type { SolanaTransaction } from '../../src/chains/solana/codec/solana-transaction.ts'

/** Signed by the wallet, without balances or instructions by default. */
export const solanaTransaction = (more: Partial<SolanaTransaction>): SolanaTransaction => ({
  signature: 'signature',
  slot: 7n,
  index: null,
  time: 1_790_000_000,
  signers: ['wallet'],
  feeRaw: 5_000n,
  succeeded: true,
  instructions: [],
  lamports: [],
  tokensBefore: [],
  tokensAfter: [],
  ...more,
})
