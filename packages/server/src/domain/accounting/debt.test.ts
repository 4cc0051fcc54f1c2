import { describe, expect, test } from 'vitest'
import { named } from '../../../test/accounting-entries.ts'
import { played, said } from '../../../test/accounting-played.ts'
import { decimal } from '../decimal.ts'
import { openPnl, poolFigures, sumPnl } from './pnl.ts'

const unknownDisposals = ({ state }: ReturnType<typeof played>) =>
  [...state.wallets.values()].flatMap((totals) => Object.values(totals.unknownDisposals))
const borrowed = (amount: string, price: string) =>
  `BORROW market: borrow DEBT ${amount} @${price} debt, borrow A ${amount} @${price}`
const repaid = (amount: string, price: string) =>
  `REPAYVAULT market: repay DEBT -${amount} @${price} debt, repay A -${amount} @${price}`

describe('a debt', () => {
  test('is owed at the worth of what came in', () => {
    const working = played([borrowed('100', '2')])
    expect(working.pools('A', 'DEBT debt')).toEqual(['100 at 200', '100 at 200'])
    expect(working.movements(0)).toEqual(['200 0', '200 0'])
    expect(working.totals()).toMatchObject({ income: '0', closedPnl: '0' })
  })

  test('grows by interest at no cost, which repaying realises; it falls with its basis', () => {
    const working = played([borrowed('100', '2'), 'interest DEBT 25 @2 debt', repaid('50', '3')])
    // 50 of 125 units take 2/5 of 200; 50 of 100 units of A cost 100. The cost of the other 20 was interest.
    expect(working.pools('A', 'DEBT debt')).toEqual(['50 at 100', '75 at 120'])
    expect(working.movements(2)).toEqual(['80 0', '100 -20'])
    expect(working.totals()).toMatchObject({ closedPnl: '-20', income: '0' })
  })

  test('of a short realises its profit when it is repaid', () => {
    const trades = ['SWAP: swap A -10 @3000, swap USD 30000 @1', 'SWAP: swap USD -20000 @1, swap A 10 @2000']
    const working = played([borrowed('10', '3000'), ...trades, repaid('10', '2000')])
    expect(working.pools('A', 'DEBT debt', 'USD')).toEqual(['nothing', 'nothing', '10000 at 10000'])
    expect(working.movements(3)).toEqual(['30000 0', '20000 10000'])
    expect(working.totals()).toMatchObject({ closedPnl: '10000', income: '0' })
  })

  test('that was borrowed dear and is repaid with units of unknown cost realises an unknown gain', () => {
    const sold = 'SWAP: swap A -10 @3, swap USD 30 @1'
    const working = played([borrowed('10', '3'), sold, 'acquire A 10', repaid('10', '2')])
    expect([unknownDisposals(working), working.totals().closedPnl]).toEqual([[1], '0'])
  })

  test('may be repaid with interest that is reported later', () => {
    const working = played([borrowed('100', '2'), 'acquire A 10 @2', repaid('104', '2'), 'interest DEBT 4 @2 debt'])
    expect(working.pools('A', 'DEBT debt')).toEqual(['6 at 12', 'nothing'])
    // Four units at two were interest.
    expect(working.totals()).toMatchObject({ closedPnl: '-8', flagged: false })
  })

  test('repaid with what was supplied takes that at its cost', () => {
    const supplied = ['acquire B 10 @5', 'LEND market: move B -10 @6, move SB 10 @6']
    const paid = 'REPAYVAULT market: repay DEBT -20 @1 debt, repay SB -4 @6'
    const working = played([...supplied, borrowed('20', '1'), paid])
    expect([working.pools('SB', 'DEBT debt'), working.totals().closedPnl]).toEqual([['6 at 30', 'nothing'], '0'])
  })
})

describe('a debt that no token stands for', () => {
  const lent = 'BORROW market: borrow A 100 @2'
  const paid = (token: string, amount: string) => `REPAYVAULT market: repay ${token} -${amount} @2`

  test('is kept by the asset that was borrowed', () => {
    expect(played([lent, paid('A', '40')]).pools('A', 'A debt in market')).toEqual(['60 at 120', '60 at 120'])
  })

  test('ends when more is paid: the rest was interest', () => {
    const working = played([lent, 'acquire A 10 @2', paid('A', '105')])
    expect(working.pools('A', 'A debt in market')).toEqual(['5 at 10', 'nothing'])
    expect(working.totals()).toMatchObject({ closedPnl: '-10', flagged: false })
  })

  test('is of unknown basis once another asset paid for it', () => {
    const working = played([lent, 'acquire B 10 @2', paid('B', '10')])
    expect([working.pools('A debt in market'), unknownDisposals(working)]).toEqual([['100 at unknown'], [1]])
  })
})

describe('open PnL', () => {
  const figures = ({ totalCostBasis, openPnl: open }: ReturnType<typeof openPnl>) => [said(totalCostBasis), said(open)]

  test('of a position is its worth less what it cost, debts at what was received for them', () => {
    const supplied = ['acquire B 10 @50', 'LEND market: move B -10 @60, move SB 10 @60']
    const { state } = played([...supplied, borrowed('100', '2')])
    const position = poolFigures(state.pools).filter((pool) => pool.protocol === 'market')
    // After that, 10 B are worth 700 and 100 A 250: a debt of 200 has lost 50, the supply has gained 200.
    expect(figures(openPnl(position, decimal('450')))).toEqual(['300', '150'])
    const debts = position.filter((pool) => pool.debt)
    expect(figures(openPnl(debts, decimal('-250')))).toEqual(['-200', '-50'])
  })

  test('is unknown where a cost or a price is', () => {
    const [known] = poolFigures(played(['acquire B 1 @10']).state.pools)
    if (!known) throw new Error('no pool')
    expect(figures(openPnl([known, { ...known, basis: null }], decimal('5')))).toEqual(['unknown', 'unknown'])
    expect(figures(openPnl([known], null))).toEqual(['10', 'unknown'])
  })

  test('of several is the sum of what is known, and unknown only when nothing is', () => {
    const none = { totalCostBasis: null, openPnl: null }
    expect(figures(sumPnl([none, { totalCostBasis: decimal('3'), openPnl: decimal('1') }]))).toEqual(['3', '1'])
    expect(sumPnl([none])).toEqual(none)
    expect(figures(sumPnl([]))).toEqual(['0', '0'])
  })
})

describe('a position with a key', () => {
  const put = (contract: string, amount: string, price: string) =>
    `DEPOSIT market: move C -${amount} @${price}, move ${contract} 0 #0`
  const borrow = (contract: string, amount: string) => `BORROW market: borrow A ${amount} @1, borrow ${contract} 0 #0`
  const [inX, inY] = ['X', 'Y'].map((contract) => `in ${named(contract)}/0`)
  const start = ['acquire C 2 @1000', 'acquire C 2 @3000']

  test('keeps cost and debts apart from other positions of its protocol', () => {
    const opened = [put('X', '1', '3000'), put('Y', '3', '3000'), borrow('X', '500'), borrow('Y', '600')]
    const paid = 'REPAYVAULT market: repay A -500 @1, repay X 0 #0'
    const working = played([...start, ...opened, paid, 'WITHDRAW market: move C 1 @3000, move X 0 #0'])
    expect(working.pools('C', `C ${inX}`, `C ${inY}`)).toEqual(['1 at 2000', 'nothing', '3 at 6000'])
    expect(working.pools(`A debt ${inX}`, `A debt ${inY}`)).toEqual(['nothing', '600 at 600'])
    expect(working.totals()).toMatchObject({ closedPnl: '0', income: '0', flagged: false })
  })

  test('that is taken for its debts sells what lies in it for them and for what is credited', () => {
    const taken = 'REPAYVAULT market: repay X 0 #0, repay R 30 @1'
    const working = played([...start, put('X', '1', '3000'), put('Y', '1', '3000'), borrow('X', '500'), taken])
    // A cost of 2,000 paid a debt of 500 and a credit of 30.
    expect(working.movements(5)).toEqual(['2000 -1470', '30 0'])
    expect(working.pools(`C ${inX}`, `A debt ${inX}`)).toEqual(['nothing', 'nothing'])
    expect(working.pools('R', `C ${inY}`)).toEqual(['30 at 30', '1 at 2000'])
    expect(working.totals()).toMatchObject({ closedPnl: '-1470', income: '0', flagged: false })
  })

  test('with a seized part sells that part for the debt that it relieves', () => {
    const sold = 'swap C -0.5 @1200 leg:1, swap A 400 @1 leg:1, repay A -400 @1 leg:2, repay X 0 #0 leg:2'
    const seized = `REPAYVAULT market: move C 0.5 @1200, move X 0 #0, ${sold}`
    const working = played([...start, put('X', '2', '3000'), borrow('X', '500'), seized])
    // Half a unit of 2,000 each paid 400 of a debt of 500.
    expect(working.pools('C', `C ${inX}`)).toEqual(['2 at 4000', '1.5 at 3000'])
    expect(working.pools('A', `A debt ${inX}`)).toEqual(['500 at 500', '100 at 100'])
    expect(working.totals()).toMatchObject({ closedPnl: '-600', income: '0', flagged: false })
  })

  test('is repaid in other proportions than it was borrowed in: what one asset overpays pays the other, by worth', () => {
    const owes = 'borrow A 1800 @1, borrow X 0 #0, borrow B 0.6 @2000 leg:1, borrow X 0 #0 leg:1'
    const opened = [...start, 'acquire A 1000 @1', `BORROW market: ${owes}`]
    // B fell to 1,000: of the 2,400 then owed, 2,100 are paid in A.
    const pays = 'repay A -2100 @1, repay X 0 #0, repay B -0.3 @1000 leg:1, repay X 0 #0 leg:1'
    const working = played([...opened, `REPAYVAULT market: ${pays}`])
    expect(working.pools(`A debt ${inX}`, `B debt ${inX}`)).toEqual(['nothing', 'nothing'])
    expect(working.pools('A', 'B')).toEqual(['700 at 700', '0.3 at 600'])
    // 3,000 were received; 2,100 and 0.3 at 2,000 were given.
    expect(working.totals()).toMatchObject({ closedPnl: '300', flagged: false })

    // For an asset without a price in the transaction, the received amounts count.
    const one = played([...opened, 'REPAYVAULT market: repay A -2400 @1, repay X 0 #0'])
    expect(one.pools(`A debt ${inX}`, `B debt ${inX}`)).toEqual(['nothing', '0.3 at 600'])
    expect(one.totals()).toMatchObject({ closedPnl: '0', flagged: false })
  })

  test('whose debt was of one asset and is repaid in another, by worth; unknown without a price', () => {
    const opened = [...start, borrow('X', '500')]
    const working = played([...opened, 'REPAYVAULT market: repay C -0.1 @3000, repay X 0 #0'])
    expect(working.pools(`A debt ${inX}`)).toEqual(['200 at 200'])
    // 0.1 of 2,000 each for 300.
    expect(working.totals()).toMatchObject({ closedPnl: '100', flagged: false })
    const unknown = played([...opened, 'REPAYVAULT market: repay C -0.1, repay X 0 #0'])
    expect([unknown.pools(`A debt ${inX}`), unknownDisposals(unknown)]).toEqual([['500 at unknown'], [1]])
  })

  test('of whose debts nothing is known realises an unknown sum when it is taken', () => {
    const working = played([...start, put('X', '1', '3000'), 'REPAYVAULT market: repay X 0 #0'])
    expect([working.movements(3), working.pools(`C ${inX}`)]).toEqual([['2000 unknown'], ['nothing']])
    expect(unknownDisposals(working)).toEqual([1])
  })
})
