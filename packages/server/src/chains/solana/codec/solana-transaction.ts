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

type WalletEffect = {
  /** Includes the fee if the wallet paid it. */
  lamports: bigint
  tokens: ReadonlyMap<SolanaAddress, bigint>
}

export function effectOf(tx: SolanaTransaction, wallet: SolanaAddress): WalletEffect {
  const own = tx.lamports.find(({ account }) => account === wallet)
  const changes = tokenChanges(tx, ({ mint, owner }) => (owner === wallet ? mint : undefined))
  const tokens = new Map([...changes].filter(([, change]) => change !== 0n))
  return { lamports: own ? own.after - own.before : 0n, tokens }
}

/** Leaves out balances without a key. */
export function tokenChanges(
  { tokensBefore, tokensAfter }: SolanaTransaction,
  keyOf: (balance: TokenBalance) => SolanaAddress | undefined,
): Map<SolanaAddress, bigint> {
  const changes = new Map<SolanaAddress, bigint>()
  const add = (balances: readonly TokenBalance[], sign: bigint) => {
    for (const balance of balances) {
      const key = keyOf(balance)
      if (key !== undefined) changes.set(key, (changes.get(key) ?? 0n) + sign * balance.amountRaw)
    }
  }
  add(tokensBefore, -1n)
  add(tokensAfter, 1n)
  return changes
}

/** Before and after the transaction. */
export const ownBalances = ({ tokensBefore, tokensAfter }: SolanaTransaction, wallet: SolanaAddress): TokenBalance[] =>
  [...tokensBefore, ...tokensAfter].filter(({ owner }) => owner === wallet)

/** Naming the wallet is not enough. */
export function isOf(tx: SolanaTransaction, wallet: SolanaAddress): boolean {
  if (tx.signers.includes(wallet)) return true
  const { lamports, tokens } = effectOf(tx, wallet)
  return lamports !== 0n || tokens.size > 0
}
