import { expect, test } from 'vitest'
import { entry } from '../../../test/accounting-entries.ts'
import { played } from '../../../test/accounting-played.ts'

const WEEK = 7 * 86_400
const START = 1_800_000_000
const bought = (amount: string, price: string, wallet = 'own') => entry(`acquire A ${amount} @${price}`, { wallet })
const out = (amount: string, after = 0, wallet = 'own') =>
  entry(`BRIDGEOUT: bridge A -${amount} @50`, { time: START + after, wallet })
const arrived = (amount: string, after = 0, wallet = 'own', identity = 'A') =>
  entry(`BRIDGEIN: bridge AonBase ${amount} @60 as:${identity}`, { time: START + after, chain: 'base', wallet })

test('lots come out of a bridge as they went in; what is missing is its fee', () => {
  const working = played([bought('1', '10'), bought('1', '30'), out('2'), arrived('1.9', 60)], 'FIFO')
  expect(working.pools('A', 'AonBase on base')).toEqual(['nothing', '1.9 at 39'])
  expect([working.movements(2), working.movements(3)]).toEqual([['40 0'], ['39 0']])
  // The fee is worth 0.1 × 60.
  expect(working.totals()).toMatchObject({ feesUsd: '6', expense: '6', closedPnl: '0' })
  expect(working.results[3]?.feesUsd?.toFixed()).toBe('6')
  expect(working.state.transit).toEqual([])
  const sold = played([entry('send AonBase -0.9 @60', { chain: 'base' })], working.state)
  expect(sold.movements(0)).toEqual(['9 0'])
})

test.each([
  ['not the same crossing when less than 90 % arrive', '0.89', 60, 'A', 60],
  ['not the same crossing when more arrives than left', '1.01', 60, 'A', 60],
  ['not the same crossing when it takes more than seven days', '1', WEEK + 1, 'A', 60],
  ['not the same crossing when it is another coin', '1', 60, 'B', 60],
  ['the same crossing when exactly 90 % arrive', '0.9', 60, 'A', 10],
  ['the same crossing when it takes exactly seven days', '1', WEEK, 'A', 10],
])('it is %s', (_, amount, after, identity, price) => {
  const working = played([bought('1', '10'), out('1'), arrived(amount, after, 'own', identity)])
  expect(working.pools('AonBase on base')).toEqual([`${amount} at ${Number(amount) * price}`])
  if (price === 60) expect(working.totals().feesUsd).toBe('0')
})

test('what never arrives was sent outside, once seven days are over', () => {
  const waiting = played([bought('1', '10'), out('1'), entry([], { time: START + WEEK })])
  expect([waiting.state.transit.length, waiting.totals().sentExternal]).toEqual([1, '0'])
  const over = played([entry([], { time: START + WEEK + 1 })], waiting.state)
  expect([over.state.transit.length, over.totals().sentExternal]).toEqual([0, '50'])
})

test('the earliest departure arrives first, the own one before another wallet’s', () => {
  const funds = [bought('1', '10', 'two'), bought('1', '20'), bought('1', '40')]
  const departures = [out('1', 0, 'two'), out('1', 10), out('1', 20)]
  const working = played([...funds, ...departures, arrived('1', 60), arrived('1', 70, 'two')])
  expect(working.pools('AonBase on base', 'AonBase on base of two')).toEqual(['1 at 30', '1 at 10'])
  const toOther = played([bought('1', '10', 'two'), out('1', 0, 'two'), arrived('1', 60)])
  expect(toOther.pools('AonBase on base')).toEqual(['1 at 10'])
})
