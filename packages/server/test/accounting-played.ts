import type { Entry } from '../src/domain/accounting/entry.ts'
import { poolFigures } from '../src/domain/accounting/pnl.ts'
import { emptyState, type Method, type State } from '../src/domain/accounting/state.ts'
import { type Decimal, formatDecimal } from '../src/domain/decimal.ts'
import { entry, named } from './accounting-entries.ts'
import { runEntries } from './run-entries.ts'

export const said = (figure: Decimal | null) => (figure === null ? 'unknown' : formatDecimal(figure.round(30)))

function poolAt(state: State, place: string): string {
  const [token = '', ...options] = place.split(' ')
  const after = (word: string) => (options.includes(word) ? options[options.indexOf(word) + 1] : undefined)
  const id = options.find((option) => option.startsWith('#'))?.slice(1)
  const found = poolFigures(state.pools).find(
    (pool) =>
      pool.token === named(token) &&
      pool.wallet === named(after('of') ?? 'own') &&
      pool.chain === (after('on') ?? 'ethereum') &&
      pool.debt === options.includes('debt') &&
      pool.position === (after('in') ?? null) &&
      pool.tokenId === (id === undefined ? null : BigInt(id)),
  )
  return found ? `${said(found.quantity)} at ${said(found.basis)}` : 'nothing'
}

/** Starts from empty lots. A text is an entry of these movements. */
export function played(entries: readonly (Entry | string)[], from: Method | State = 'AVG') {
  const { state, results, days } = runEntries(
    entries.map((each) => (typeof each === 'string' ? entry(each) : each)),
    typeof from === 'string' ? emptyState(from) : from,
  )
  return {
    state,
    results,
    days,
    /**
     * `quantity at basis`, or `nothing`, of each place: `A`, and then in any order `#7` (an NFT), `of two` (a wallet),
     * `on base`, `in vault` (a position), `debt`.
     */
    pools: (...places: string[]) => places.map((place) => poolAt(state, place)),
    totals(wallet = 'own') {
      const totals = state.wallets.get(named(wallet))
      if (!totals) throw new Error(`no wallet ${wallet}`)
      const { closedPnl, feesUsd, income, expense, sentExternal } = totals
      return {
        closedPnl: said(closedPnl),
        feesUsd: said(feesUsd),
        income: said(income),
        expense: said(expense),
        sentExternal: said(sentExternal),
        flagged: state.pools.some((pool) => pool.wallet === named(wallet) && pool.flagged),
      }
    },
    /** `cost realised` of each. */
    movements(place: number) {
      return results[place]?.movements.map(({ costBasis, closedPnl }) => `${said(costBasis)} ${said(closedPnl)}`)
    },
  }
}
