import { describe, expect, test } from 'vitest'
import { named } from '../../../test/accounting-entries.ts'
import { runEntries } from '../../../test/run-entries.ts'
import { WORKED_EXAMPLE } from '../../../test/worked-example.ts'
import { type Decimal, decimal, formatDecimal, sum } from '../decimal.ts'
import { openPnl, type PoolFigures, poolFigures, sumPnl } from './pnl.ts'
import { emptyState, type State, type WalletTotals } from './state.ts'

/** Rounds to the digits of the expected figure. */
const shown = (figure: Decimal | null | undefined, expected: string) =>
  figure && formatDecimal(figure.round(expected.split('.')[1]?.length ?? 0))

function poolIn(state: State, token: string, chain = 'ethereum'): PoolFigures | undefined {
  return poolFigures(state.pools).find((pool) => pool.token === named(token) && pool.chain === chain)
}

function totalsIn(state: State): WalletTotals {
  const totals = state.wallets.get(named('own'))
  if (!totals) throw new Error('no such wallet')
  return totals
}

describe.each([
  {
    method: 'AVG' as const,
    figuresOf: 'average' as const,
    eth: ['3002.70767661', '2177.29232339'],
    base: ['693.28926279', '502.71073721'],
    total: ['12145.9969394', '2630.0030606'],
    closedPnl: '1771.96022014',
  },
  {
    method: 'FIFO' as const,
    figuresOf: 'fifo' as const,
    eth: ['3740', '1440'],
    base: ['598', '598'],
    total: ['12788', '1988'],
    closedPnl: '2250',
  },
])('the worked example by $method', ({ method, figuresOf, eth, base, total, closedPnl }) => {
  test('every figure of every step', () => {
    let state = emptyState(method)
    for (const step of WORKED_EXAMPLE) {
      state = runEntries(step.entries, state).state
      const pool = poolIn(state, 'ETH')
      const totals = totalsIn(state)
      const expected = step[figuresOf]
      expect(
        {
          eth: formatDecimal(pool?.quantity ?? decimal('0')),
          basis: shown(pool?.basis ?? decimal('0'), expected.basis),
          closedPnl: shown(totals.closedPnl, expected.closedPnl),
          income: formatDecimal(totals.income),
          feesUsd: formatDecimal(totals.feesUsd),
        },
        step.name,
      ).toEqual({ eth: step.eth, ...expected, income: step.income, feesUsd: step.feesUsd })
    }
  })

  test('the final figures', () => {
    const { state } = runEntries(
      WORKED_EXAMPLE.flatMap((step) => step.entries),
      emptyState(method),
    )
    const pnlAt = (token: string, price: string, chain?: string) => {
      const pool = poolIn(state, token, chain)
      if (!pool) throw new Error(`no ${token}`)
      const value = pool.quantity.times(decimal(price))
      return { value, ...openPnl([pool], value) }
    }
    const usdc = pnlAt('USDC', '1')
    const onEthereum = pnlAt('ETH', '4000')
    const onBase = pnlAt('ETH', '4000', 'base')
    const xyz = pnlAt('XYZ', '1.5')
    const figures = ({ value, ...pnl }: typeof usdc, digits: string) =>
      [value, pnl.totalCostBasis, pnl.openPnl].map((figure) => shown(figure, digits))
    expect(figures(usdc, '0')).toEqual(['8250', '8250', '0'])
    expect(figures(onEthereum, eth[0] ?? '')).toEqual(['5180', ...eth])
    expect(figures(onBase, base[0] ?? '')).toEqual(['1196', ...base])
    expect(figures(xyz, '0')).toEqual(['150', '200', '-50'])

    const parts = [usdc, onEthereum, onBase, xyz]
    const all = sumPnl(parts)
    const totals = totalsIn(state)
    expect(formatDecimal(sum(parts.map((part) => part.value)))).toBe('14776')
    expect([shown(all.totalCostBasis, total[0] ?? ''), shown(all.openPnl, total[1] ?? '')]).toEqual(total)
    expect(shown(totals.closedPnl, closedPnl)).toBe(closedPnl)
    expect(formatDecimal(totals.sentExternal)).toBe('1800')
    expect(formatDecimal(totals.feesUsd)).toBe('68.6')
    expect(totals.feesRaw).toEqual({ ethereum: 25n * 10n ** 15n })
    expect(Object.entries(totals.bridgeFees).map(([of, fee]) => [of, formatDecimal(fee)])).toEqual([['ETH', '0.001']])

    const basis = decimal('11000')
      .plus(decimal('590'))
      .plus(totals.closedPnl)
      .minus(totals.gasBasis)
      .minus(totals.bridgeFeeBasis)
      .minus(totals.sentBasis)
    expect(formatDecimal(all.totalCostBasis ?? decimal('0'))).toBe(formatDecimal(basis))
  })
})
