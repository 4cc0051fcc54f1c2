import { expect, test } from 'vitest'
import { entry, moved } from '../../../test/accounting-entries.ts'
import { played } from '../../../test/accounting-played.ts'

const WEEK = 7 * 86_400
const START = 1_800_000_000
const bought = (amount: string, price: string, wallet = 'own') =>
  entry([moved('acquire', 'A', amount, price)], { wallet })
const out = (amount: string, after = 0, wallet = 'own') =>
  entry([moved('bridge', 'A', `-${amount}`, '50')], { time: START + after, wallet, type: 'BRIDGEOUT' })
const arrived = (amount: string, after = 0, wallet = 'own', identity = 'A') =>
  entry([moved('bridge', 'AonBase', amount, '60', { identity })], {
    time: START + after,
    chain: 'base',
    wallet,
    type: 'BRIDGEIN',
  })
const onBase = { chain: 'base' }

test('lots come out of a bridge as they went in; what is missing is its fee', () => {
  const books = played([bought('1', '10'), bought('1', '30'), out('2'), arrived('1.9', 60)], 'FIFO')
  expect([books.pool('A'), books.pool('AonBase', onBase)]).toEqual(['nothing', '1.9 at 39'])
  expect(books.movements(2)).toEqual(['40 0'])
  expect(books.movements(3)).toEqual(['39 0'])
  // The fee is worth 0.1 × 60.
  expect([books.totals().feesUsd, books.totals().expense, books.totals().closedPnl]).toEqual(['6', '6', '0'])
  expect(books.results[3]?.feesUsd?.toFixed()).toBe('6')
  expect(books.state.transit).toEqual([])
  const sold = played([entry('send AonBase -0.9 @60', onBase)], books.state)
  expect(sold.movements(0)).toEqual(['9 0'])
})

test.each([
  ['less than 90 % arrive', '0.89', 60, 'A'],
  ['more arrives than left', '1.01', 60, 'A'],
  ['it takes more than seven days', '1', WEEK + 1, 'A'],
  ['it is another coin', '1', 60, 'B'],
])('it is not the same crossing when %s', (_, amount, after, identity) => {
  const books = played([bought('1', '10'), out('1'), arrived(amount, after, 'own', identity)])
  expect(books.pool('AonBase', onBase)).toBe(`${amount} at ${Number(amount) * 60}`)
  expect(books.totals().feesUsd).toBe('0')
})

test.each([
  ['exactly 90 % arrive', '0.9', 60],
  ['it takes exactly seven days', '1', WEEK],
])('it is the same crossing when %s', (_, amount, after) => {
  const books = played([bought('1', '10'), out('1'), arrived(amount, after)])
  expect(books.pool('AonBase', onBase)).toBe(`${amount} at ${Number(amount) * 10}`)
})

test('what never arrives was sent outside, once seven days are over', () => {
  const waiting = played([bought('1', '10'), out('1'), entry([], { time: START + WEEK })])
  expect([waiting.state.transit.length, waiting.totals().sentExternal]).toEqual([1, '0'])
  const over = played([entry([], { time: START + WEEK + 1 })], waiting.state)
  expect([over.state.transit.length, over.totals().sentExternal]).toEqual([0, '50'])
})

test('the earliest departure arrives first, the own one before another wallet’s', () => {
  const books = played([
    bought('1', '10', 'two'),
    bought('1', '20'),
    bought('1', '40'),
    out('1', 0, 'two'),
    out('1', 10),
    out('1', 20),
    arrived('1', 60),
    arrived('1', 70, 'two'),
  ])
  expect([books.pool('AonBase', onBase), books.pool('AonBase', { ...onBase, wallet: 'two' })]).toEqual([
    '1 at 30',
    '1 at 10',
  ])
  const toOther = played([bought('1', '10', 'two'), out('1', 0, 'two'), arrived('1', 60)])
  expect(toOther.pool('AonBase', onBase)).toBe('1 at 10')
})
