import { NATIVE_SOL, type SolanaAddress } from '../../../domain/solana-address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Adjustment, StoredSums } from '../../histories.ts'
import type { FinalWallet } from '../activity/final-wallet.ts'

export type Reconcile = ReturnType<typeof createReconcile>

export function createReconcile(store: StoredSums) {
  /** Differences are gaps, because no token grows by itself. All movements up to `toSlot` must be stored. */
  async function settle(of: WalletOnChain, now: FinalWallet): Promise<readonly Adjustment[]> {
    // Earlier balances say nothing about tokens that moved since.
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

  async function isSame(of: WalletOnChain, now: FinalWallet): Promise<boolean> {
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
