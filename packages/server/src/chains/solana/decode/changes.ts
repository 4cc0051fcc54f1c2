import { NATIVE_SOL, type SolanaAddress, WRAPPED_SOL } from '../../../domain/solana-address.ts'
import { effectOf, type SolanaTransaction, type TokenBalance, tokenChanges } from '../codec/solana-transaction.ts'

export type SolanaChange = {
  token: SolanaAddress
  /** 0 where the mint names a leg's position; then the amount is zero. */
  tokenId: 0n | null
  amountRaw: bigint
  /** Has the largest opposite change. Null: minted or burned. */
  counterparty: SolanaAddress | null
  debt: false
}

/** Rent: negative when paid, positive when returned. */
export type Deposit = { account: SolanaAddress; amountRaw: bigint }

export function changesOf(tx: SolanaTransaction, wallet: SolanaAddress, deposits: readonly Deposit[]): SolanaChange[] {
  const { lamports, tokens } = effectOf(tx, wallet)
  const fee = tx.signers[0] === wallet ? tx.feeRaw : 0n
  const kept = deposits.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
  const nativeRaw = lamports + fee - kept
  const native = changeOf(NATIVE_SOL, nativeRaw, nativeCounterparty(tx, wallet, nativeRaw))
  const others = [...tokens].map(([mint, change]) =>
    changeOf(mint, change, tokenCounterparty(tx, wallet, mint, change)),
  )
  return [native, ...others].filter(({ amountRaw }) => amountRaw !== 0n)
}

function changeOf(token: SolanaAddress, amountRaw: bigint, counterparty: SolanaAddress | null): SolanaChange {
  return { token, tokenId: null, amountRaw, counterparty, debt: false }
}

/** Rent that the wallet itself paid or got back. Wrapped SOL is no rent. */
export function depositsOf(tx: SolanaTransaction, wallet: SolanaAddress): Deposit[] {
  const own = (balances: readonly TokenBalance[]) =>
    new Map(balances.filter(({ owner }) => owner === wallet).map((balance) => [balance.account, balance]))
  const before = own(tx.tokensBefore)
  const after = own(tx.tokensAfter)
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((account): Deposit[] => {
    const lamports = tx.lamports.find((balance) => balance.account === account)
    if (!lamports) return []
    const held = before.has(account) ? lamports.before - wrappedIn(before.get(account)) : 0n
    const holds = after.has(account) ? lamports.after - wrappedIn(after.get(account)) : 0n
    const isOwn = holds > held ? isGivenBy(tx, wallet, account) : isGivenTo(tx, wallet, account)
    return holds === held || !isOwn ? [] : [{ account, amountRaw: held - holds }]
  })
}

const wrappedIn = (balance: TokenBalance | undefined) => (balance?.mint === WRAPPED_SOL ? balance.amountRaw : 0n)

/** The system program moves SOL from its first account to its second. */
function isGivenBy({ instructions }: SolanaTransaction, wallet: SolanaAddress, account: SolanaAddress): boolean {
  return instructions.some(
    ({ program, accounts: [from, to] }) => program === NATIVE_SOL && from === wallet && to === account,
  )
}

/** Closing an account pays the second one. */
function isGivenTo({ instructions }: SolanaTransaction, wallet: SolanaAddress, account: SolanaAddress): boolean {
  return instructions.some(({ accounts: [from, to] }) => from === account && to === wallet)
}

function nativeCounterparty(tx: SolanaTransaction, wallet: SolanaAddress, change: bigint): SolanaAddress | null {
  const own = new Set(tokenChanges(tx).flatMap(({ account, owner }) => (owner === wallet ? account : [])))
  const others = tx.lamports.filter(({ account }) => account !== wallet && !own.has(account))
  return mostOpposite(
    others.map(({ account, before, after }) => {
      const fee = account === tx.signers[0] ? tx.feeRaw : 0n
      return [account, after - before + fee] as const
    }),
    change,
  )
}

function tokenCounterparty(
  tx: SolanaTransaction,
  wallet: SolanaAddress,
  mint: SolanaAddress,
  change: bigint,
): SolanaAddress | null {
  const changes = new Map<SolanaAddress, bigint>()
  for (const { mint: of, owner, amountRaw } of tokenChanges(tx)) {
    if (of === mint && owner !== wallet) changes.set(owner, (changes.get(owner) ?? 0n) + amountRaw)
  }
  return mostOpposite([...changes], change)
}

function mostOpposite(changes: readonly (readonly [SolanaAddress, bigint])[], change: bigint): SolanaAddress | null {
  const sign = change < 0n ? 1n : -1n
  const sides = changes.filter(([, amount]) => amount * sign > 0n)
  return sides.toSorted(([, a], [, b]) => Number((b - a) * sign))[0]?.[0] ?? null
}
