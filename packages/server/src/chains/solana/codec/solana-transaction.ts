import type { SolanaAddress } from '../../../domain/solana-address.ts'

/** `data`: base58. `depth`: 0 for the transaction's own. */
export type SolanaInstruction = {
  program: SolanaAddress
  accounts: readonly SolanaAddress[]
  data: string
  depth: number
}

export type TokenBalance = {
  account: SolanaAddress
  mint: SolanaAddress
  owner: SolanaAddress
  amountRaw: bigint
}

/** A failed one changed only the payer's lamports. */
export type SolanaTransaction = {
  signature: string
  slot: bigint
  /** Null before Agave 4.0. */
  index: number | null
  /** Unix seconds. */
  time: number
  /** The first paid the fee. */
  signers: readonly [SolanaAddress, ...SolanaAddress[]]
  feeRaw: bigint
  succeeded: boolean
  /** In execution order. */
  instructions: readonly SolanaInstruction[]
  lamports: readonly { account: SolanaAddress; before: bigint; after: bigint }[]
  tokensBefore: readonly TokenBalance[]
  tokensAfter: readonly TokenBalance[]
}

/** Lamports include the fee if the wallet paid it. */
export function effectOf(tx: SolanaTransaction, wallet: SolanaAddress) {
  const own = tx.lamports.find(({ account }) => account === wallet)
  const tokens = new Map<SolanaAddress, bigint>()
  for (const { mint, owner, amountRaw } of tokenChanges(tx)) {
    if (owner === wallet) tokens.set(mint, (tokens.get(mint) ?? 0n) + amountRaw)
  }
  for (const [mint, change] of tokens) if (change === 0n) tokens.delete(mint)
  return { lamports: own ? own.after - own.before : 0n, tokens }
}

/** Balances before the transaction are negative. */
export const tokenChanges = ({ tokensBefore, tokensAfter }: SolanaTransaction): TokenBalance[] => [
  ...tokensBefore.map((balance) => ({ ...balance, amountRaw: -balance.amountRaw })),
  ...tokensAfter,
]

export function isOf(tx: SolanaTransaction, wallet: SolanaAddress): boolean {
  if (tx.signers.includes(wallet)) return true
  const { lamports, tokens } = effectOf(tx, wallet)
  return lamports !== 0n || tokens.size > 0
}
