import { describe, expect, test } from 'vitest'
import { entry, named } from '../../../test/accounting-entries.ts'
import { played } from '../../../test/accounting-played.ts'

const DAY = Date.UTC(2027, 0, 15) / 1000
const NOTHING = { closedPnl: '0', feesUsd: '0', income: '0', expense: '0', sentExternal: '0', flagged: false }

describe('from and to the outside', () => {
  test('what is sent leaves with its cost and realises nothing', () => {
    const working = played(['acquire A 4 @10', 'TRANSFEROUT: send A -1 @25'])
    expect([working.movements(1), working.pools('A')]).toEqual([['10 0'], ['3 at 30']])
    expect(working.totals()).toEqual({ ...NOTHING, sentExternal: '25' })
  })

  test('an expense counts as one', () => {
    const working = played(['acquire A 4 @10', 'EXPENSE: send A -1 @25'])
    expect([working.totals().expense, working.totals().sentExternal]).toEqual(['25', '25'])
  })

  test('rewards are income at their price, and nothing without one', () => {
    const working = played(['CLAIM: income A 2 @3, income DUST 9'])
    expect([working.pools('A', 'DUST'), working.totals().income]).toEqual([['2 at 6', '9 at 0'], '6'])
    expect(working.results[0]?.income.toFixed()).toBe('6')
  })

  test('spam costs nothing, and what it claims to take is not missed', () => {
    const working = played(['SPAM: spam SCAM 100 @5', 'SPAM: spam SCAM -40 @5, spam FAKE -1000'])
    expect(working.pools('SCAM', 'FAKE')).toEqual(['60 at 0', 'nothing'])
    expect(working.totals()).toEqual(NOTHING)
  })

  const early = ['send A -5 @10', 'acquire A 9 @10']
  test.each([
    ['is unknown when there is more', ['acquire A 4 @10', 'gap A 1 @10'], '5 at unknown'],
    ['leaves when there is less', ['acquire A 4 @10', 'gap A -1 @10'], '3 at 30'],
    ['explains first what left before it came', ['acquire A 4 @10', 'send A -6 @10', 'gap A 3 @10'], '1 at unknown'],
    ['leaves the balance, whatever left before it came', ['send A -2 @10', 'gap A 3 @10'], '1 at unknown'],
    ['leaves more than the balance after an early sale', [...early, 'gap A 2 @10'], '6 at 60'],
    ['leaves less than the balance after an early sale', [...early, 'gap A -1 @10'], '3 at 30'],
  ])('a gap %s, and is flagged', (_, entries, pool) => {
    const working = played(entries)
    expect([working.pools('A'), working.totals().flagged]).toEqual([[pool], true])
    expect(working.state.pools.map(({ flagged }) => flagged)).toEqual([true])
  })
})

describe('gas', () => {
  test('is paid after the legs, from what they bring in', () => {
    const working = played([
      'acquire USDC 300 @1',
      'SWAP: fee ETH -0.01 @3000 leg:1, swap USDC -300 @1, swap ETH 0.1 @3000',
    ])
    expect([working.movements(1), working.pools('ETH')]).toEqual([['30 0', '300 0', '300 0'], ['0.09 at 270']])
    expect([working.totals().feesUsd, working.totals().expense, working.totals().flagged]).toEqual(['30', '30', false])
    expect(working.results[1]?.feesUsd?.toFixed()).toBe('30')
  })

  test('adds up in base units by chain', () => {
    const polygon = ['acquire POL 1 @1', 'fee POL -0.5 @1'].map((text) => entry(text, { chain: 'polygon' }))
    const working = played(['acquire ETH 1 @3000', 'fee ETH -0.01 @3000', 'fee ETH -0.02 @3000', ...polygon])
    const feesRaw = { ethereum: 3n * 10n ** 16n, polygon: 5n * 10n ** 17n }
    expect(working.state.wallets.get(named('own'))?.feesRaw).toEqual(feesRaw)
    expect(working.totals().feesUsd).toBe('90.5')
  })

  test('without a price is counted, not guessed', () => {
    const working = played(['acquire ETH 1 @3000', 'fee ETH -0.01'])
    expect(working.results[1]?.feesUsd).toBeNull()
    expect(working.state.wallets.get(named('own'))?.unpricedFees).toBe(1)
    expect([working.pools('ETH'), working.totals().feesUsd]).toEqual([['0.99 at 2970'], '0'])
  })
})

describe('a token whose balance grows by itself', () => {
  const grown = (text: string) => {
    const { movements, ...rest } = entry(text)
    return {
      ...rest,
      movements: movements.map((movement, i) => (i === 0 ? { ...movement, rebasing: true } : movement)),
    }
  }

  test('earns its growth at the price of the time', () => {
    const working = played(['acquire A 10 @10', 'interest A 0.5 @12'])
    expect([working.pools('A'), working.totals().income, working.movements(1)]).toEqual([['10.5 at 106'], '6', ['6 0']])
  })

  test('keeps its cost on fewer units when it shrinks', () => {
    const working = played(['acquire A 10 @10', 'interest A -2 @12'])
    expect([working.pools('A'), working.totals().closedPnl]).toEqual([['8 at 100'], '0'])
  })

  test('has lost its cost when nothing is left', () => {
    const working = played(['acquire A 10 @10', 'interest A -10 @12'])
    expect([working.pools('A'), working.totals().closedPnl]).toEqual([['nothing'], '-100'])
  })

  test('may leave before its growth is reported, which then counts once', () => {
    const left = grown('WITHDRAW: move AA -10.5 @12, move A 10.5 @12')
    const working = played(['acquire A 10 @10', 'LEND: move A -10 @10, move AA 10 @10', left])
    expect(working.pools('A', 'AA')).toEqual(['10.5 at 106', '0 at 0'])
    expect(working.totals()).toMatchObject({ income: '6', flagged: false })
    const reported = played([grown('interest AA 0.7 @12')], working.state)
    expect([reported.pools('AA'), reported.totals().income]).toEqual([['0.2 at 2.4'], '8.4'])
  })
})

describe('between wallets of the account', () => {
  const of = (wallet: string, text: string, transaction = '0x1') => entry(text, { wallet, transaction })
  const handed = (amount: string, from: string, to: string) => [
    of(to, `acquire A ${amount} @50 with:${from}`),
    of(from, `send A -${amount} @50 with:${to}`),
  ]
  const lots = [entry('acquire A 1 @10', { wallet: 'one' }), entry('acquire A 1 @30', { wallet: 'one' })]

  test.each([
    ['AVG', '30'],
    ['FIFO', '25'],
  ] as const)('lots move, in any order of the wallets (%s)', (method, cost) => {
    const working = played([...lots, ...handed('1.5', 'one', 'two')], method)
    expect(working.pools('A of two')).toEqual([`1.5 at ${cost}`])
    expect([working.movements(2), working.movements(3)]).toEqual([[`${cost} 0`], [`${cost} 0`]])
    expect(working.totals('one').sentExternal).toBe('0')
  })

  test('each wallet realises what it sells itself', () => {
    const sold = entry('swap A -2 @50, swap USDC 100 @1', { wallet: 'two' })
    const working = played([...lots, ...handed('2', 'one', 'two'), sold])
    expect([working.totals('one').closedPnl, working.totals('two').closedPnl]).toEqual(['0', '60'])
  })

  test('what is handed on at once goes all the way', () => {
    const through = of('two', 'acquire A 1 @50 with:one, send A -1 @50 with:three leg:1')
    const [first, last] = [of('one', 'send A -1 @50 with:two'), of('three', 'acquire A 1 @50 with:two')]
    const working = played([...lots, last, through, first], 'FIFO')
    expect(working.pools('A of three', 'A of two', 'A of one')).toEqual(['1 at 10', 'nothing', '1 at 30'])
  })

  test('what is bought and sent in one transaction is bought first', () => {
    const buying = of('one', 'swap USDC -70 @1, swap A 1 @70, send A -1 @70 leg:1 with:two')
    const funds = entry('acquire USDC 70 @1', { wallet: 'one' })
    const working = played([funds, of('two', 'acquire A 1 @50 with:one'), buying])
    expect([working.pools('A of two'), working.totals('one').flagged]).toEqual([['1 at 70'], false])
  })

  test.each([
    ['an amount above what the other wallet reports is from the outside', '1.5', '0x1', '1.5 at 45', '0'],
    ['an amount below it is to the outside', '0.5', '0x1', '0.5 at 10', '25'],
    ['another transaction or another sender is the outside', '1', '0x2', '1 at 50', '50'],
  ])('%s', (_, amount, transaction, pool, sentExternal) => {
    const received = of('two', `acquire A ${amount} @50 with:one`, transaction)
    const working = played([...lots, of('one', 'send A -1 @50 with:two'), received])
    expect([working.pools('A of two'), working.totals('one').sentExternal]).toEqual([[pool], sentExternal])
  })
})

describe('a day', () => {
  test('sums what is earned and spent in it, by UTC', () => {
    const working = played([
      entry('income ETH 1 @100', { time: DAY - 1 }),
      entry('income ETH 2 @100, fee ETH -0.1 @100 leg:1', { time: DAY }),
      entry('EXPENSE: send ETH -1 @110', { time: DAY + 86_399 }),
      entry('income ETH 1 @100', { time: DAY + 86_399, wallet: 'two' }),
    ])
    expect(
      working.days.map(({ wallet, day, income, expense }) => [wallet, day, income.toFixed(), expense.toFixed()]),
    ).toEqual([
      [named('own'), '2027-01-14', '100', '0'],
      [named('own'), '2027-01-15', '200', '120'],
      [named('two'), '2027-01-15', '100', '0'],
    ])
  })

  test('goes on where the entries before ended', () => {
    const before = played([entry('income ETH 1 @100', { time: DAY })])
    const after = played([entry('income ETH 2 @100', { time: DAY + 60 })], before.state)
    expect(after.days.map(({ day, income }) => [day, income.toFixed()])).toEqual([['2027-01-15', '300']])
    expect(after.state.wallets.get(named('own'))?.day?.income.toFixed()).toBe('300')
    expect(before.state.wallets.get(named('own'))?.day?.income.toFixed()).toBe('100')
  })
})

describe('movements that are not all known', () => {
  const marked = (mark: { doubted: true } | { unpaid: true }, text: string, transaction: string | null = null) => {
    const { movements, ...rest } = entry(text, { transaction })
    return { ...rest, movements: movements.map((movement, i) => (i === 0 ? { ...movement, ...mark } : movement)) }
  }

  test('a doubted movement makes the cost of its pool unknown, until the pool is empty', () => {
    const sold = marked({ doubted: true }, 'swap ETH -1 @2000, swap USDC 2000 @1')
    const working = played(['acquire ETH 4 @1000', sold, 'acquire ETH 1 @1500'])
    // The received asset cost its worth. The coin's cost becomes unknown.
    expect(working.pools('ETH', 'USDC')).toEqual(['4 at unknown', '2000 at 2000'])
    expect(working.movements(1)).toEqual(['unknown unknown', '2000 0'])
    const emptied = played(['acquire ETH 1 @1000', sold, 'acquire ETH 1 @1500'])
    expect(emptied.pools('ETH')).toEqual(['1 at 1500'])
  })

  test('a doubted inflow joins a pool of unknown cost', () => {
    const working = played(['acquire ETH 1 @1000', marked({ doubted: true }, 'acquire ETH 1 @2000')])
    expect([working.pools('ETH'), working.movements(1)]).toEqual([['2 at unknown'], ['2000 0']])
  })

  test('what was given for something unseen is a sale of unknown proceeds', () => {
    const working = played(['acquire A 4 @10', marked({ unpaid: true }, 'TRANSFEROUT: send A -1 @25')])
    expect([working.pools('A'), working.movements(1)]).toEqual([['3 at 30'], ['10 unknown']])
    expect(working.state.wallets.get(named('own'))?.unknownDisposals).toEqual({ [`ethereum ${named('A')}`]: 1 })
  })

  test('between wallets of the account it is no sale', () => {
    const given = marked({ unpaid: true }, 'send A -1 @25 with:two', '0x1')
    const received = entry('acquire A 1 @25 with:own', { transaction: '0x1', wallet: 'two' })
    expect(played(['acquire A 4 @10', given, received]).pools('A', 'A of two')).toEqual(['3 at 30', '1 at 10'])
  })
})
