import type { Reading } from './compose-reading.ts'
import type { Database } from './db/database.ts'
import type { BalanceStore } from './features/history/balance-store.ts'
import type { WalletHistory } from './features/history/histories.ts'
import type { HistoryStore } from './features/history/history-store.ts'
import { createReadSolanaHistory } from './features/history/read-solana-history.ts'
import { createReconcileSolana } from './features/history/reconcile-solana.ts'
import { createSolanaWalletHistory } from './features/history/solana-wallet-history.ts'
import { createFindTokenAccounts } from './features/history/token-account-store.ts'
import type { RpcPool } from './kinds/rpc/rpc-pool.ts'
import { readFinalWallet } from './kinds/solana/activity/final-wallet.ts'
import { finalSlot, solanaActivity } from './kinds/solana/activity/wallet-activity.ts'

/** Composes histories of wallets on Solana. */
export function composeSolanaHistory({
  solana: { chains, familiesOf, tokens, openReader },
  db,
  pools,
  store,
  balances,
}: {
  db: Database['db']
  solana: Reading['solana']
  pools: ReadonlyMap<string, RpcPool>
  store: HistoryStore
  balances: BalanceStore
}): WalletHistory {
  return createSolanaWalletHistory({
    pools,
    store,
    findTokenAccounts: createFindTokenAccounts(db),
    readWallet: readFinalWallet,
    findSlot: finalSlot,
    findActivity: solanaActivity,
    read: createReadSolanaHistory({ chains, familiesOf, tokens, openReader }),
    reconcile: createReconcileSolana(balances),
  })
}
