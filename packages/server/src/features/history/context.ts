import type { WalletHistory } from '../../chains/histories.ts'
import type { Statistics } from '../../db/statistics.ts'
import type { Db } from '../../db/tables.ts'
import type { Method } from '../../domain/accounting/state.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'
import type { Jobs } from '../../jobs/queue.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger, WarnLog } from '../../lib/logger.ts'
import type { SingleFlight } from '../../lib/single-flight.ts'
import type { FindTokens } from '../../wallets/create-reading.ts'
import type { FactsOf } from './cost/accounting-entries.ts'
import type { Scope } from './cost/accounting-store.ts'
import type { HistoryStore } from './store/history-store.ts'

export type SyncContext = {
  db: Db
  store: HistoryStore
  histories: WalletHistory
  enabled: readonly { key: string }[]
  /** Depends on the chain type. */
  hasHistory(wallet: Address): boolean
  chainsOf(wallet: Address): readonly string[]
  /** Compares balances, prices movements. Rejects with `UpstreamError` or on an abort; finished work stays. */
  complete(of: WalletOnChain, signal: AbortSignal): Promise<void>
  jobs: Pick<Jobs, 'send' | 'wake' | 'findWithoutJob'>
  clock: Clock
  log: Logger
}

export type CostContext = {
  db: Db
  /** For whole histories. */
  reads: Db
  /** By default by the account's method. undefined: no history of the wallet is complete. */
  scopeOf(accountId: string, wallet: Address, method?: Method): Promise<Scope | undefined>
  methodOf(accountId: string): Promise<Method>
  findTokens: FindTokens
  factsOf(tokens: readonly TokenOnChain[]): Promise<FactsOf>
  /** Enqueues `computeCosts`. */
  computeLater(scope: string, of: CostsOf): Promise<void>
  /** Runs in progress, by scope and changes. */
  runs: SingleFlight<void>
  statistics: Statistics
  log: WarnLog
}

/** All wallets that share the scope of `wallet`. */
export type CostsOf = { accountId: string; wallet: Address; method: Method }

export type TokenOnChain = { chain: string; token: Address }

/** Asks once per chain, for each token once. */
export async function findByChain<T>(
  tokens: readonly TokenOnChain[],
  find: (chain: string, tokens: readonly Address[]) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  const found = [...Map.groupBy(tokens, ({ chain }) => chain)].map(async ([chain, ofIt]) => {
    return [chain, await find(chain, [...new Set(ofIt.map(({ token }) => token))])] as const
  })
  return new Map(await Promise.all(found))
}
