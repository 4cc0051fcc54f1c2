import { NATIVE_SOL, type SolanaAddress } from '../../domain/solana-address.ts'
import type { FinalWallet } from '../../kinds/solana/activity/final-wallet.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { Adjustment, BalanceStore } from './balance-store.ts'

export type ReconcileSolana = ReturnType<typeof createReconcileSolana>

/** Compares what a wallet's movements add up to with what it has, where a state is never told of but the present one. */
export function createReconcileSolana(store: BalanceStore) {
  /** What is had beyond the movements up to `toSlot`, all of which are stored, is kept as a gap: no token grows by itself. */
  async function settle(of: Searched, now: FinalWallet): Promise<readonly Adjustment[]> {
    // Parts that are of an earlier slot say nothing of what moved since then.
    const moved = now.fromSlot < now.toSlot ? await store.movedAfter(of, now.fromSlot) : new Set()
    const balances = balancesOf(now)
    return store.settle(of, now.toSlot, ({ sums }) =>
      [...new Set([...sums.keys(), ...balances.keys()])]
        .filter((token) => !moved.has(token))
        .map((token): Adjustment => {
          const amountRaw = (balances.get(token) ?? 0n) - (sums.get(token) ?? 0n)
          return { token, amountRaw, debt: false, kind: 'gap' }
        })
        .filter(({ amountRaw }) => amountRaw !== 0n),
    )
  }

  /** The wallet has what was stored of it adds up to. */
  async function isSame(of: Searched, now: FinalWallet): Promise<boolean> {
    const ledger = await store.sums(of)
    const balances = balancesOf(now)
    const tokens = [...balances.keys(), ...(ledger?.sums.keys() ?? [])]
    return (
      ledger !== undefined && tokens.every((token) => (balances.get(token) ?? 0n) === (ledger.sums.get(token) ?? 0n))
    )
  }

  return { settle, isSame }
}

function balancesOf({ lamports, tokenAccounts }: FinalWallet): Map<SolanaAddress, bigint> {
  const balances = new Map([[NATIVE_SOL, lamports]])
  for (const { mint, amountRaw } of tokenAccounts) balances.set(mint, (balances.get(mint) ?? 0n) + amountRaw)
  return balances
}
