import type { Pool, WalletTotals } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { decimalOrNull, sum } from '../../../domain/decimal.ts'
import type { TransactionBasis } from '../transactions/present-transaction.ts'
import type { ListedTransaction } from '../transactions/transaction-store.ts'
import { placeOf } from './accounting-entries.ts'
import { createAccountingRuns, type RunDependencies } from './accounting-runs.ts'
import type { Scope, StoredResult } from './accounting-store.ts'

/** What accounting says of one wallet. `version` changes with it. */
export type WalletCosts = { version: string; totals: WalletTotals | undefined; pools: readonly Pool[] }

/** What accounting says of listed transactions; undefined where a wallet's history is not whole. */
export type FindBasis = (
  accountId: string,
  rows: readonly ListedTransaction[],
) => Promise<(row: ListedTransaction) => TransactionBasis | undefined>

export type CostAccounts = ReturnType<typeof createCostAccounts>

/** Cost basis and PnL of wallets, worked out from their histories and kept; only what changed is worked out anew. */
export function createCostAccounts({
  scopeOf,
  ...means
}: RunDependencies & {
  /** The wallets that are accounted for together with this one; undefined while its history is incomplete. */
  scopeOf(accountId: string, wallet: Address): Promise<Scope | undefined>
}) {
  const { store } = means
  const { upToDate } = createAccountingRuns(means)

  async function find(accountId: string, wallet: Address): Promise<WalletCosts | undefined> {
    const scope = await scopeOf(accountId, wallet)
    if (!scope) return undefined
    const { seen, state } = await upToDate(scope, () => store.findState(scope.key))
    return {
      version: `${scope.key} ${scope.method} ${[...seen].join(' ')}`,
      totals: state.wallets.get(wallet),
      pools: state.pools.filter((pool) => pool.wallet === wallet),
    }
  }

  const findBasis: FindBasis = async (accountId, rows) => {
    const byWallet = Map.groupBy(rows, ({ wallet }) => wallet)
    const ofWallet = await Promise.all(
      [...byWallet].map(async ([wallet, ofIt]) => {
        const scope = await scopeOf(accountId, wallet)
        if (!scope) return []
        const { results } = await upToDate(scope, () => store.findResults(scope.key, ofIt))
        return [[wallet, Map.groupBy(results, placeOf)] as const]
      }),
    )
    const known = new Map(ofWallet.flat())
    return (row) => {
      const results = known.get(row.wallet)
      return results && basisOf(results.get(placeOf(row)) ?? [])
    }
  }

  return { find, findBasis }
}

function basisOf(results: readonly Omit<StoredResult, 'time'>[]): TransactionBasis {
  const movements = results.map(({ place, costBasis, closedPnl }) => {
    return [place, { costBasis: decimalOrNull(costBasis), closedPnl: decimalOrNull(closedPnl) }] as const
  })
  const gains = movements.map(([, { closedPnl }]) => closedPnl)
  const known = gains.filter((gain) => gain !== null)
  return {
    closedPnl: known.length < gains.length ? null : sum(known),
    movements: new Map(movements),
  }
}
