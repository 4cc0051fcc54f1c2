import { describe, expect, test } from 'vitest'
import { entry, moved, named } from '../../../test/accounting-entries.ts'
import { played } from '../../../test/accounting-played.ts'
import type { EntryMovement } from './entry.ts'

const bought = (token: string, amount: string, price: string | null, wallet = 'own') =>
  entry([moved('acquire', token, amount, price)], { wallet })
const DAY = Date.UTC(2027, 0, 15) / 1000

describe('from and to the outside', () => {
  test('what is sent leaves with its cost and realises nothing', () => {
    const books = played(['acquire A 4 @10', entry('send A -1 @25', { type: 'TRANSFEROUT' })])
    expect(books.movements(1)).toEqual(['10 0'])
    expect([books.pool('A'), books.totals()]).toEqual([
      '3 at 30',
      { closedPnl: '0', feesUsd: '0', income: '0', expense: '0', sentExternal: '25', flagged: false },
    ])
  })

  test('an expense counts as one', () => {
    const books = played(['acquire A 4 @10', entry('send A -1 @25', { type: 'EXPENSE' })])
    expect([books.totals().expense, books.totals().sentExternal]).toEqual(['25', '25'])
  })

  test('rewards are income at their price, and nothing without one', () => {
    const books = played([entry('income A 2 @3, income DUST 9', { type: 'CLAIM' })])
    expect([books.pool('A'), books.pool('DUST'), books.totals().income]).toEqual(['2 at 6', '9 at 0', '6'])
    expect(books.results[0]?.income.toFixed()).toBe('6')
  })

  test('spam costs nothing, and what it claims to take is not missed', () => {
    const books = played([
      entry('spam SCAM 100 @5', { type: 'SPAM' }),
      entry('spam SCAM -40 @5, spam FAKE -1000', { type: 'SPAM' }),
    ])
    expect([books.pool('SCAM'), books.pool('FAKE')]).toEqual(['60 at 0', 'nothing'])
    expect(books.totals()).toEqual({
      closedPnl: '0',
      feesUsd: '0',
      income: '0',
      expense: '0',
      sentExternal: '0',
      flagged: false,
    })
  })

  test('a gap is unknown when there is more, leaves when there is less, and is flagged', () => {
    const more = played(['acquire A 4 @10', 'gap A 1 @10'])
    expect([more.pool('A'), more.totals().flagged]).toEqual(['5 at unknown', true])
    const less = played(['acquire A 4 @10', 'gap A -1 @10'])
    expect([less.pool('A'), less.totals().flagged]).toEqual(['3 at 30', true])
    expect(less.state.pools.map((pool) => pool.flagged)).toEqual([true])
  })

  test('a gap explains first what left before it came', () => {
    const books = played(['acquire A 4 @10', 'send A -6 @10', 'gap A 3 @10'])
    expect(books.pool('A')).toBe('1 at unknown')
  })

  test('a gap leaves the balance, flagged, whatever left before it came', () => {
    const unseen = played(['send A -2 @10', 'gap A 3 @10'])
    expect([unseen.pool('A'), unseen.totals().flagged]).toEqual(['1 at unknown', true])
    const early = ['send A -5 @10', 'acquire A 9 @10']
    const more = played([...early, 'gap A 2 @10'])
    expect([more.pool('A'), more.totals().flagged]).toEqual(['6 at 60', true])
    const less = played([...early, 'gap A -1 @10'])
    expect([less.pool('A'), less.totals().flagged]).toEqual(['3 at 30', true])
  })
})

describe('gas', () => {
  test('is paid after the legs, from what they bring in', () => {
    const books = played([
      'acquire USDC 300 @1',
      entry([moved('fee', 'ETH', '-0.01', '3000', { leg: 1 }), 'swap USDC -300 @1', 'swap ETH 0.1 @3000'], {
        type: 'SWAP',
      }),
    ])
    expect(books.movements(1)).toEqual(['30 0', '300 0', '300 0'])
    expect(books.pool('ETH')).toBe('0.09 at 270')
    expect([books.totals().feesUsd, books.totals().expense, books.totals().flagged]).toEqual(['30', '30', false])
    expect(books.results[1]?.feesUsd?.toFixed()).toBe('30')
  })

  test('adds up in base units by chain', () => {
    const books = played([
      'acquire ETH 1 @3000',
      'fee ETH -0.01 @3000',
      'fee ETH -0.02 @3000',
      entry('acquire POL 1 @1', { chain: 'polygon' }),
      entry('fee POL -0.5 @1', { chain: 'polygon' }),
    ])
    expect(books.state.wallets.get(named('own'))?.feesRaw).toEqual({
      ethereum: 3n * 10n ** 16n,
      polygon: 5n * 10n ** 17n,
    })
    expect(books.totals().feesUsd).toBe('90.5')
  })

  test('without a price is counted, not guessed', () => {
    const books = played(['acquire ETH 1 @3000', 'fee ETH -0.01'])
    expect(books.results[1]?.feesUsd).toBeNull()
    expect(books.state.wallets.get(named('own'))?.unpricedFees).toBe(1)
    expect([books.pool('ETH'), books.totals().feesUsd]).toEqual(['0.99 at 2970', '0'])
  })
})

describe('a token whose balance grows by itself', () => {
  const grows = { rebasing: true }

  test('earns its growth at the price of the time', () => {
    const books = played(['acquire A 10 @10', 'interest A 0.5 @12'])
    expect([books.pool('A'), books.totals().income, books.movements(1)]).toEqual(['10.5 at 106', '6', ['6 0']])
  })

  test('keeps its cost on fewer units when it shrinks', () => {
    const books = played(['acquire A 10 @10', 'interest A -2 @12'])
    expect([books.pool('A'), books.totals().closedPnl]).toEqual(['8 at 100', '0'])
  })

  test('has lost its cost when nothing is left', () => {
    const books = played(['acquire A 10 @10', 'interest A -10 @12'])
    expect([books.pool('A'), books.totals().closedPnl]).toEqual(['nothing', '-100'])
  })

  test('may leave before its growth is reported, which then counts once', () => {
    const books = played([
      'acquire A 10 @10',
      entry('move A -10 @10, move AA 10 @10', { type: 'LEND' }),
      entry([{ ...moved('move', 'AA', '-10.5', '12'), ...grows }, 'move A 10.5 @12'], {
        type: 'WITHDRAW',
      }),
    ])
    expect([books.pool('A'), books.pool('AA'), books.totals()]).toMatchObject([
      '10.5 at 106',
      '0 at 0',
      { income: '6', flagged: false },
    ])
    const told = played([entry([{ ...moved('interest', 'AA', '0.7', '12'), ...grows }])], books.state)
    expect([told.pool('AA'), told.totals().income]).toEqual(['0.2 at 2.4', '8.4'])
  })
})

describe('between wallets of the account', () => {
  const handed = (amount: string, wallets: [from: string, to: string], transaction = '0x1') => [
    entry([moved('acquire', 'A', amount, '50', { with: wallets[0] })], { wallet: wallets[1], transaction }),
    entry([moved('send', 'A', `-${amount}`, '50', { with: wallets[1] })], { wallet: wallets[0], transaction }),
  ]
  const lots = [bought('A', '1', '10', 'one'), bought('A', '1', '30', 'one')]

  test.each(['AVG', 'FIFO'] as const)('lots move, in any order of the wallets (%s)', (method) => {
    const books = played([...lots, ...handed('1.5', ['one', 'two'])], method)
    const cost = method === 'AVG' ? '30' : '25'
    expect([books.pool('A', { wallet: 'two' }), books.movements(2), books.movements(3)]).toEqual([
      `1.5 at ${cost}`,
      [`${cost} 0`],
      [`${cost} 0`],
    ])
    expect(books.totals('one').sentExternal).toBe('0')
  })

  test('each wallet realises what it sells itself', () => {
    const books = played([
      ...lots,
      ...handed('2', ['one', 'two']),
      entry('swap A -2 @50, swap USDC 100 @1', { wallet: 'two' }),
    ])
    expect([books.totals('one').closedPnl, books.totals('two').closedPnl]).toEqual(['0', '60'])
  })

  test('what is handed on at once goes all the way', () => {
    const [last, middle] = handed('1', ['two', 'three'])
    const [second, first] = handed('1', ['one', 'two'])
    const through = entry(
      [...(second?.movements ?? []), ...(middle?.movements ?? []).map((movement) => ({ ...movement, leg: 1 }))],
      {
        wallet: 'two',
        transaction: '0x1',
      },
    )
    const books = played([...lots, ...(last ? [last] : []), through, ...(first ? [first] : [])], 'FIFO')
    expect([
      books.pool('A', { wallet: 'three' }),
      books.pool('A', { wallet: 'two' }),
      books.pool('A', { wallet: 'one' }),
    ]).toEqual(['1 at 10', 'nothing', '1 at 30'])
  })

  test('what is bought and sent in one transaction is bought first', () => {
    const buying = entry(
      ['swap USDC -70 @1', 'swap A 1 @70', moved('send', 'A', '-1', '70', { leg: 1, with: 'two' })],
      { wallet: 'one', transaction: '0x1' },
    )
    const [receiving] = handed('1', ['one', 'two'])
    const books = played([bought('USDC', '70', '1', 'one'), ...(receiving ? [receiving] : []), buying])
    expect([books.pool('A', { wallet: 'two' }), books.totals('one').flagged]).toEqual(['1 at 70', false])
  })

  test('an amount above what the other wallet reports is from or to the outside', () => {
    const more = played([
      ...lots,
      entry([moved('send', 'A', '-1', '50', { with: 'two' })], { wallet: 'one', transaction: '0x1' }),
      entry([moved('acquire', 'A', '1.5', '50', { with: 'one' })], { wallet: 'two', transaction: '0x1' }),
    ])
    expect(more.pool('A', { wallet: 'two' })).toBe('1.5 at 45')
    const less = played([
      ...lots,
      entry([moved('send', 'A', '-1', '50', { with: 'two' })], { wallet: 'one', transaction: '0x1' }),
      entry([moved('acquire', 'A', '0.5', '50', { with: 'one' })], { wallet: 'two', transaction: '0x1' }),
    ])
    expect([less.pool('A', { wallet: 'two' }), less.totals('one').sentExternal]).toEqual(['0.5 at 10', '25'])
  })

  test('another transaction or another sender is the outside', () => {
    const books = played([
      ...lots,
      entry([moved('send', 'A', '-1', '50', { with: 'two' })], { wallet: 'one', transaction: '0x1' }),
      entry([moved('acquire', 'A', '1', '50', { with: 'one' })], { wallet: 'two', transaction: '0x2' }),
    ])
    expect([books.pool('A', { wallet: 'two' }), books.totals('one').sentExternal]).toEqual(['1 at 50', '50'])
  })
})

describe('a day', () => {
  const at = (time: number) => ({ time })

  test('sums what is earned and spent in it, by UTC', () => {
    const books = played([
      entry('income ETH 1 @100', at(DAY - 1)),
      entry(['income ETH 2 @100', moved('fee', 'ETH', '-0.1', '100', { leg: 1 })], at(DAY)),
      entry('send ETH -1 @110', { ...at(DAY + 86_399), type: 'EXPENSE' }),
      entry('income ETH 1 @100', { ...at(DAY + 86_399), wallet: 'two' }),
    ])
    const figures = books.days.map(({ wallet, day, income, expense }) => [
      wallet === named('own') ? 'own' : 'two',
      day,
      income.toFixed(),
      expense.toFixed(),
    ])
    expect(figures).toEqual([
      ['own', '2027-01-14', '100', '0'],
      ['own', '2027-01-15', '200', '120'],
      ['two', '2027-01-15', '100', '0'],
    ])
  })

  test('goes on where the entries before ended', () => {
    const before = played([entry('income ETH 1 @100', at(DAY))])
    const after = played([entry('income ETH 2 @100', at(DAY + 60))], before.state)
    expect(after.days.map(({ day, income }) => [day, income.toFixed()])).toEqual([['2027-01-15', '300']])
    expect(after.state.wallets.get(named('own'))?.day?.income.toFixed()).toBe('300')
    expect(before.state.wallets.get(named('own'))?.day?.income.toFixed()).toBe('100')
  })
})

describe('movements that are not all known', () => {
  const doubted = (movement: EntryMovement) => ({ ...movement, doubted: true })

  test('a doubted movement makes the cost of its pool unknown, until the pool is empty', () => {
    const sold = entry([doubted(moved('swap', 'ETH', '-1', '2000')), 'swap USDC 2000 @1'])
    const books = played(['acquire ETH 4 @1000', sold, 'acquire ETH 1 @1500'])
    // The received asset cost its worth. The coin's cost becomes unknown.
    expect([books.pool('ETH'), books.pool('USDC'), books.movements(1)]).toEqual([
      '4 at unknown',
      '2000 at 2000',
      ['unknown unknown', '2000 0'],
    ])
    const emptied = played(['acquire ETH 1 @1000', sold, 'acquire ETH 1 @1500'])
    expect(emptied.pool('ETH')).toBe('1 at 1500')
  })

  test('a doubted inflow joins a pool of unknown cost', () => {
    const books = played(['acquire ETH 1 @1000', entry([doubted(moved('acquire', 'ETH', '1', '2000'))])])
    expect([books.pool('ETH'), books.movements(1)]).toEqual(['2 at unknown', ['2000 0']])
  })

  test('what was given for something unseen is a sale of unknown proceeds', () => {
    const unpaid = { ...moved('send', 'A', '-1', '25'), unpaid: true }
    const books = played(['acquire A 4 @10', entry([unpaid], { type: 'TRANSFEROUT' })])
    expect([books.pool('A'), books.movements(1)]).toEqual(['3 at 30', ['10 unknown']])
    expect(books.state.wallets.get(named('own'))?.unknownDisposals).toEqual({ [`ethereum ${named('A')}`]: 1 })
  })

  test('between wallets of the account it is no sale', () => {
    const unpaid = { ...moved('send', 'A', '-1', '25', { with: 'two' }), unpaid: true }
    const books = played([
      'acquire A 4 @10',
      entry([unpaid], { transaction: '0x1' }),
      entry([moved('acquire', 'A', '1', '25', { with: 'own' })], { transaction: '0x1', wallet: 'two' }),
    ])
    expect([books.pool('A'), books.pool('A', { wallet: 'two' })]).toEqual(['3 at 30', '1 at 10'])
  })
})
