import { describe, expect, test } from 'vitest'
import { entry, moved, named } from '../../../test/accounting-entries.ts'
import { played, said } from '../../../test/accounting-played.ts'
import { decimal } from '../decimal.ts'
import { openPnl, poolFigures, sumPnl } from './pnl.ts'

const owed = { debt: true }
const unknownDisposals = ({ state }: ReturnType<typeof played>) =>
  [...state.wallets.values()].flatMap((totals) => Object.values(totals.unknownDisposals))
const market = { protocol: 'market' }
const borrowed = (amount: string, price: string) =>
  entry([moved('borrow', 'DEBT', amount, price, owed), moved('borrow', 'A', amount, price)], {
    ...market,
    type: 'BORROW',
  })
const repaid = (amount: string, price: string) =>
  entry([moved('repay', 'DEBT', `-${amount}`, price, owed), moved('repay', 'A', `-${amount}`, price)], {
    ...market,
    type: 'REPAYVAULT',
  })

describe('a debt', () => {
  test('is owed at the worth of what came in', () => {
    const books = played([borrowed('100', '2')])
    expect([books.pool('A'), books.pool('DEBT', owed)]).toEqual(['100 at 200', '100 at 200'])
    expect(books.movements(0)).toEqual(['200 0', '200 0'])
    expect([books.totals().income, books.totals().closedPnl]).toEqual(['0', '0'])
  })

  test('grows by interest at no cost, which repaying realises; it falls with its basis', () => {
    const books = played([borrowed('100', '2'), entry([moved('interest', 'DEBT', '25', '2', owed)]), repaid('50', '3')])
    // 50 of 125 units take 2/5 of 200; 50 of 100 units of A cost 100. The cost of the other 20 was interest.
    expect([books.pool('A'), books.pool('DEBT', owed)]).toEqual(['50 at 100', '75 at 120'])
    expect(books.movements(2)).toEqual(['80 0', '100 -20'])
    expect([books.totals().closedPnl, books.totals().income]).toEqual(['-20', '0'])
  })

  test('of a short realises its profit when it is repaid', () => {
    const books = played([
      borrowed('10', '3000'),
      entry('swap A -10 @3000, swap USD 30000 @1', { type: 'SWAP' }),
      entry('swap USD -20000 @1, swap A 10 @2000', { type: 'SWAP' }),
      repaid('10', '2000'),
    ])
    expect([books.pool('A'), books.pool('DEBT', owed), books.pool('USD')]).toEqual([
      ...['nothing', 'nothing', '10000 at 10000'],
    ])
    expect(books.movements(3)).toEqual(['30000 0', '20000 10000'])
    expect([books.totals().closedPnl, books.totals().income]).toEqual(['10000', '0'])
  })

  test('that was borrowed dear and is repaid with units of unknown cost realises an unknown gain', () => {
    const books = played([
      borrowed('10', '3'),
      entry('swap A -10 @3, swap USD 30 @1', { type: 'SWAP' }),
      'acquire A 10',
      repaid('10', '2'),
    ])
    expect(unknownDisposals(books)).toEqual([1])
    expect(books.totals().closedPnl).toBe('0')
  })

  test('may be repaid with interest that is reported later', () => {
    const books = played([
      borrowed('100', '2'),
      'acquire A 10 @2',
      repaid('104', '2'),
      entry([moved('interest', 'DEBT', '4', '2', owed)]),
    ])
    expect([books.pool('A'), books.pool('DEBT', owed), books.totals().flagged]).toEqual(['6 at 12', 'nothing', false])
    // Four units at two were interest.
    expect(books.totals().closedPnl).toBe('-8')
  })

  test('repaid with what was supplied takes that at its cost', () => {
    const books = played([
      'acquire B 10 @5',
      entry('move B -10 @6, move SB 10 @6', { ...market, type: 'LEND' }),
      borrowed('20', '1'),
      entry([moved('repay', 'DEBT', '-20', '1', owed), 'repay SB -4 @6'], {
        ...market,
        type: 'REPAYVAULT',
      }),
    ])
    expect([books.pool('SB'), books.pool('DEBT', owed), books.totals().closedPnl]).toEqual(['6 at 30', 'nothing', '0'])
  })
})

describe('a debt that no token stands for', () => {
  const untold = { ...owed, position: 'market' }
  const lent = entry('borrow A 100 @2', { ...market, type: 'BORROW' })
  const paid = (token: string, amount: string) =>
    entry([moved('repay', token, `-${amount}`, '2')], { ...market, type: 'REPAYVAULT' })

  test('is kept by the asset that was borrowed', () => {
    const books = played([lent, paid('A', '40')])
    expect([books.pool('A'), books.pool('A', untold)]).toEqual(['60 at 120', '60 at 120'])
  })

  test('ends when more is paid: the rest was interest', () => {
    const books = played([lent, 'acquire A 10 @2', paid('A', '105')])
    expect([books.pool('A'), books.pool('A', untold), books.totals().flagged]).toEqual(['5 at 10', 'nothing', false])
    expect(books.totals().closedPnl).toBe('-10')
  })

  test('is of unknown basis once another asset paid for it', () => {
    const books = played([lent, 'acquire B 10 @2', paid('B', '10')])
    expect(books.pool('A', untold)).toBe('100 at unknown')
    expect(unknownDisposals(books)).toEqual([1])
  })
})

describe('open PnL', () => {
  test('of a position is its worth less what it cost, debts at what was received for them', () => {
    const books = played([
      'acquire B 10 @50',
      entry('move B -10 @60, move SB 10 @60', { ...market, type: 'LEND' }),
      borrowed('100', '2'),
    ])
    const position = poolFigures(books.state.pools).filter((pool) => pool.protocol === 'market')
    // After that, 10 B are worth 700 and 100 A 250: a debt of 200 has lost 50, the supply has gained 200.
    const pnl = openPnl(position, decimal('450'))
    expect([said(pnl.totalCostBasis), said(pnl.openPnl)]).toEqual(['300', '150'])
    const debt = openPnl(
      position.filter((pool) => pool.debt),
      decimal('-250'),
    )
    expect([said(debt.totalCostBasis), said(debt.openPnl)]).toEqual(['-200', '-50'])
  })

  test('is unknown where a cost or a price is', () => {
    const [known] = poolFigures(played(['acquire B 1 @10']).state.pools)
    if (!known) throw new Error('no pool')
    expect(openPnl([known, { ...known, basis: null }], decimal('5'))).toEqual({
      totalCostBasis: null,
      openPnl: null,
    })
    const unpriced = openPnl([known], null)
    expect([said(unpriced.totalCostBasis), said(unpriced.openPnl)]).toEqual(['10', 'unknown'])
  })

  test('of several is the sum of what is known, and unknown only when nothing is', () => {
    const none = { totalCostBasis: null, openPnl: null }
    const some = sumPnl([none, { totalCostBasis: decimal('3'), openPnl: decimal('1') }])
    expect([said(some.totalCostBasis), said(some.openPnl)]).toEqual(['3', '1'])
    expect(sumPnl([none])).toEqual(none)
    const empty = sumPnl([])
    expect([said(empty.totalCostBasis), said(empty.openPnl)]).toEqual(['0', '0'])
  })
})

describe('a position with a key', () => {
  const market = { protocol: 'market' }
  const at = (treatment: 'move' | 'borrow' | 'repay', contract: string) =>
    moved(treatment, contract, '0', null, { tokenId: 0n })
  const put = (contract: string, amount: string, price: string) =>
    entry([moved('move', 'C', `-${amount}`, price), at('move', contract)], { ...market, type: 'DEPOSIT' })
  const borrow = (contract: string, amount: string) =>
    entry([moved('borrow', 'A', amount, '1'), at('borrow', contract)], { ...market, type: 'BORROW' })
  const inside = (contract: string) => ({ position: `${named(contract)}/0` })
  const start = ['acquire C 2 @1000', 'acquire C 2 @3000']

  test('keeps cost and debts apart from other positions of its protocol', () => {
    const opened = [put('X', '1', '3000'), put('Y', '3', '3000'), borrow('X', '500'), borrow('Y', '600')]
    const paid = entry(['repay A -500 @1', at('repay', 'X')], { ...market, type: 'REPAYVAULT' })
    const back = entry(['move C 1 @3000', at('move', 'X')], { ...market, type: 'WITHDRAW' })
    const books = played([...start, ...opened, paid, back])
    expect([books.pool('C'), books.pool('C', inside('X')), books.pool('C', inside('Y'))]).toEqual([
      ...['1 at 2000', 'nothing', '3 at 6000'],
    ])
    expect(books.pool('A', { ...owed, ...inside('X') })).toBe('nothing')
    expect(books.pool('A', { ...owed, ...inside('Y') })).toBe('600 at 600')
    expect(books.totals()).toMatchObject({ closedPnl: '0', income: '0', flagged: false })
  })

  test('that is taken for its debts sells what lies in it for them and for what is credited', () => {
    const taken = entry([at('repay', 'X'), 'repay R 30 @1'], { ...market, type: 'REPAYVAULT' })
    const books = played([...start, put('X', '1', '3000'), put('Y', '1', '3000'), borrow('X', '500'), taken])
    // A cost of 2,000 paid a debt of 500 and a credit of 30.
    expect(books.movements(5)).toEqual(['2000 -1470', '30 0'])
    expect([books.pool('C', inside('X')), books.pool('A', { ...owed, ...inside('X') })]).toEqual(['nothing', 'nothing'])
    expect([books.pool('R'), books.pool('C', inside('Y'))]).toEqual(['30 at 30', '1 at 2000'])
    expect(books.totals()).toMatchObject({ closedPnl: '-1470', income: '0', flagged: false })
  })

  test('with a seized part sells that part for the debt that it relieves', () => {
    const one = (treatment: 'move' | 'swap' | 'repay', token: string, amount: string, price: string, leg: number) =>
      moved(treatment, token, amount, price, { leg })
    const seized = entry(
      [
        ...[one('move', 'C', '0.5', '1200', 0), { ...at('move', 'X'), leg: 0 }],
        ...[one('swap', 'C', '-0.5', '1200', 1), one('swap', 'A', '400', '1', 1)],
        ...[one('repay', 'A', '-400', '1', 2), { ...at('repay', 'X'), leg: 2 }],
      ],
      { ...market, type: 'REPAYVAULT' },
    )
    const books = played([...start, put('X', '2', '3000'), borrow('X', '500'), seized])
    // Half a unit of 2,000 each paid 400 of a debt of 500.
    expect([books.pool('C'), books.pool('C', inside('X'))]).toEqual(['2 at 4000', '1.5 at 3000'])
    expect([books.pool('A'), books.pool('A', { ...owed, ...inside('X') })]).toEqual(['500 at 500', '100 at 100'])
    expect(books.totals()).toMatchObject({ closedPnl: '-600', income: '0', flagged: false })
  })

  test('is repaid in other proportions than it was borrowed in: what one asset overpays pays the other, by worth', () => {
    const owes = (token: string, amount: string, price: string, leg: number) => [
      moved('borrow', token, amount, price, { leg }),
      { ...at('borrow', 'X'), leg },
    ]
    const pays = (token: string, amount: string, price: string, leg: number) => [
      moved('repay', token, `-${amount}`, price, { leg }),
      { ...at('repay', 'X'), leg },
    ]
    const repaid = { ...market, type: 'REPAYVAULT' } as const
    const opened = entry([...owes('A', '1800', '1', 0), ...owes('B', '0.6', '2000', 1)], { ...market, type: 'BORROW' })
    // B fell to 1,000: of the 2,400 then owed, 2,100 are paid in A.
    const both = entry([...pays('A', '2100', '1', 0), ...pays('B', '0.3', '1000', 1)], repaid)
    const books = played([...start, 'acquire A 1000 @1', opened, both])
    expect([books.pool('A', { ...owed, ...inside('X') }), books.pool('B', { ...owed, ...inside('X') })]).toEqual([
      ...['nothing', 'nothing'],
    ])
    expect([books.pool('A'), books.pool('B')]).toEqual(['700 at 700', '0.3 at 600'])
    // 3,000 were received; 2,100 and 0.3 at 2,000 were given.
    expect(books.totals()).toMatchObject({ closedPnl: '300', flagged: false })

    // For an asset without a price in the transaction, the received amounts count.
    const one = played([...start, 'acquire A 1000 @1', opened, entry(pays('A', '2400', '1', 0), repaid)])
    expect([one.pool('A', { ...owed, ...inside('X') }), one.pool('B', { ...owed, ...inside('X') })]).toEqual([
      ...['nothing', '0.3 at 600'],
    ])
    expect(one.totals()).toMatchObject({ closedPnl: '0', flagged: false })
  })

  test('whose debt was of one asset and is repaid in another, by worth; unknown without a price', () => {
    const pays = (price: string | null) =>
      entry([moved('repay', 'C', '-0.1', price), at('repay', 'X')], { ...market, type: 'REPAYVAULT' })
    const books = played([...start, borrow('X', '500'), pays('3000')])
    expect(books.pool('A', { ...owed, ...inside('X') })).toBe('200 at 200')
    // 0.1 of 2,000 each for 300.
    expect(books.totals()).toMatchObject({ closedPnl: '100', flagged: false })
    const unknown = played([...start, borrow('X', '500'), pays(null)])
    expect(unknown.pool('A', { ...owed, ...inside('X') })).toBe('500 at unknown')
    expect(unknownDisposals(unknown)).toEqual([1])
  })

  test('of whose debts nothing is known realises an unknown sum when it is taken', () => {
    const taken = entry([at('repay', 'X')], { ...market, type: 'REPAYVAULT' })
    const books = played([...start, put('X', '1', '3000'), taken])
    expect(books.movements(3)).toEqual(['2000 unknown'])
    expect(unknownDisposals(books)).toEqual([1])
    expect(books.pool('C', inside('X'))).toBe('nothing')
  })
})
