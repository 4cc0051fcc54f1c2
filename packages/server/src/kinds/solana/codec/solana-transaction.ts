import type { SolanaAddress } from '../../../domain/solana-address.ts'

/** An instruction that ran, or would have. `data`: base58, as nodes write it. `depth`: 0 of the transaction itself, else called by one. */
export type SolanaInstruction = {
  program: SolanaAddress
  accounts: readonly SolanaAddress[]
  data: string
  depth: number
}

/** Lamports of an account before and after a transaction. */
type LamportBalance = { account: SolanaAddress; before: bigint; after: bigint }

/** What a token account held, and whose it was. */
export type TokenBalance = {
  account: SolanaAddress
  mint: SolanaAddress
  owner: SolanaAddress
  decimals: number
  amountRaw: bigint
}

/**
 * A transaction as the chain records it, not interpreted yet. Has the balances of every account that it names or loads.
 * A failed one changed only the payer's lamports, by the fee.
 */
export type SolanaTransaction = {
  signature: string
  slot: bigint
  /** Its place in the block; null where the node does not tell (before Agave 4.0). */
  index: number | null
  /** Unix seconds of the block. */
  time: number
  /** The first of them paid the fee. */
  signers: readonly [SolanaAddress, ...SolanaAddress[]]
  /** Lamports, priority included. */
  feeRaw: bigint
  succeeded: boolean
  /** In the order in which they ran: each with those that it called behind it. */
  instructions: readonly SolanaInstruction[]
  lamports: readonly LamportBalance[]
  tokensBefore: readonly TokenBalance[]
  tokensAfter: readonly TokenBalance[]
  /** False for a transaction so old that nodes did not record token balances or their owners. */
  tellsTokens: boolean
}

/** By how much a transaction changed what a wallet has. */
export type WalletEffect = {
  /** Of its own account; the fee included where it paid it. */
  lamports: bigint
  /** Over all of its token accounts, by mint; without zeros. */
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

/** Whether a transaction concerns a wallet: the wallet signed it, or its holdings changed. Naming it is not enough. */
export function isOf(tx: SolanaTransaction, wallet: SolanaAddress): boolean {
  if (tx.signers.includes(wallet)) return true
  const { lamports, tokens } = effectOf(tx, wallet)
  return lamports !== 0n || tokens.size > 0
}
