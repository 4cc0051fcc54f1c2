import type { Pool, WalletTotals } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { decimalOrNull, fromRaw, sum } from '../../../domain/decimal.ts'
import type { ChainGap, TokenGap } from '../../portfolio/wallet-figures.ts'
import type { TransactionBasis } from '../transactions/present-transaction.ts'
import type { ListedTransaction } from '../transactions/transaction-store.ts'
import { placeOf } from './accounting-entries.ts'
import { createAccountingRuns, type RunDependencies } from './accounting-runs.ts'
import { chainGapsOf, type Part, type Scope, type StoredResult, walletsOf } from './accounting-store.ts'

/** `missing`: chains not fully searched and priced. */
export type WalletCosts = {
  version: string
  totals: WalletTotals | undefined
  pools: readonly Pool[]
  missing: readonly string[]
  chainGaps: readonly ChainGap[]
  gaps: readonly TokenGap[]
}

/** undefined: the history on the chain is incomplete. */
export type FindBasis = (
  accountId: string,
  rows: readonly ListedTransaction[],
) => Promise<(row: ListedTransaction) => TransactionBasis | undefined>

export type CostAccounts = ReturnType<typeof createCostAccounts>

export function createCostAccounts({
  scopeOf,
  ...means
}: RunDependencies & {
  /** undefined: no history of the wallet is complete. */
  scopeOf(accountId: string, wallet: Address): Promise<Scope | undefined>
}) {
  const { store } = means
  const { upToDate } = createAccountingRuns(means)

  async function find(accountId: string, wallet: Address): Promise<WalletCosts | undefined> {
    const scope = await scopeOf(accountId, wallet)
    if (!scope) return undefined
    const { seen, state } = await upToDate(scope, () => store.findState(scope.key))
    const isOfWallet = (of: { wallet: Address }) => of.wallet === wallet
    const chainGaps = scope.parts.filter(isOfWallet).flatMap(chainGapsOf)
    return {
      missing: scope.elsewhere.filter(isOfWallet).map(({ chain }) => chain),
      chainGaps,
      gaps: await tokenGaps(scope.parts.filter(isOfWallet)),
      version: `${scope.key} ${scope.method} ${[...seen].join(' ')} ${chainGaps.map(({ block }) => block).join(' ')}`,
      totals: state.wallets.get(wallet),
      pools: state.pools.filter(isOfWallet),
    }
  }

  async function tokenGaps(parts: readonly Part[]): Promise<TokenGap[]> {
    const found = await store.gaps(walletsOf({ parts }))
    const facts = await means.factsOf([...found.values()])
    return parts.flatMap(({ chain, native, nativeFrom }) => {
      const ofChain = [...found.values()].filter((gap) => gap.chain === chain)
      const natives = nativeFrom === null || ofChain.some(({ token }) => token === native) ? [] : [nativeFrom]
      return [
        ...natives.map(
          (block): TokenGap => ({ chain, token: native, reason: 'native-unsearched', block, amount: null }),
        ),
        ...ofChain.map(({ token, block, amountRaw }): TokenGap => {
          const { decimals } = facts(chain, token)
          const amount = decimals === undefined ? null : fromRaw(amountRaw, decimals)
          if (token !== native) return { chain, token, reason: 'gap', block, amount }
          return { chain, token, reason: 'native-unexplained', block: nativeFrom ?? block, amount }
        }),
      ]
    })
  }

  const findBasis: FindBasis = async (accountId, rows) => {
    const byWallet = Map.groupBy(rows, ({ wallet }) => wallet)
    const ofWallet = await Promise.all(
      [...byWallet].map(async ([wallet, ofIt]) => {
        const scope = await scopeOf(accountId, wallet)
        if (!scope) return []
        const { results } = await upToDate(scope, () => store.findResults(scope.key, ofIt))
        const chains = scope.parts.flatMap((part) => (part.wallet === wallet ? [part.chain] : []))
        return [[wallet, { chains, results: Map.groupBy(results, placeOf) }] as const]
      }),
    )
    const known = new Map(ofWallet.flat())
    return (row) => {
      const ofIt = known.get(row.wallet)
      return ofIt?.chains.includes(row.chain) ? basisOf(ofIt.results.get(placeOf(row)) ?? []) : undefined
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
