import type { SolanaAddress } from '../../../domain/solana-address.ts'

/** `data`: base58. `depth`: 0 for the transaction's own. */
export type SolanaInstruction = {
  program: SolanaAddress
  accounts: readonly SolanaAddress[]
  data: string
  depth: number
}

type LamportBalance = { account: SolanaAddress; before: bigint; after: bigint }

export type TokenBalance = {
  account: SolanaAddress
  mint: SolanaAddress
  owner: SolanaAddress
  decimals: number
  amountRaw: bigint
}

/** A failed one changed only the payer's lamports, by the fee. */
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
  lamports: readonly LamportBalance[]
  tokensBefore: readonly TokenBalance[]
  tokensAfter: readonly TokenBalance[]
  /** False if nodes recorded no token balances or owners. */
  tellsTokens: boolean
}

export type WalletEffect = {
  /** Includes the fee if the wallet paid it. */
  lamports: bigint
  tokens: ReadonlyMap<SolanaAddress, bigint>
}

export function effectOf(tx: SolanaTransaction, wallet: SolanaAddress): WalletEffect {
  const own = tx.lamports.find(({ account }) => account === wallet)
  const tokens = new Map<SolanaAddress, bigint>()
  const add = (balances: readonly TokenBalance[], sign: bigint) => {
    for (const { mint, owner, amountRaw } of balances) {
      if (owner === wallet) tokens.set(mint, (tokens.get(mint) ?? 0n) + sign * amountRaw)
    }
  }
  add(tx.tokensBefore, -1n)
  add(tx.tokensAfter, 1n)
  for (const [mint, change] of tokens) if (change === 0n) tokens.delete(mint)
  return { lamports: own ? own.after - own.before : 0n, tokens }
}

/** Naming the wallet is not enough. */
export function isOf(tx: SolanaTransaction, wallet: SolanaAddress): boolean {
  if (tx.signers.includes(wallet)) return true
  const { lamports, tokens } = effectOf(tx, wallet)
  return lamports !== 0n || tokens.size > 0
}
