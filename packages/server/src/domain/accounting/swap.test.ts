import { describe, expect, test } from 'vitest'
import { named } from '../../../test/accounting-entries.ts'
import { played } from '../../../test/accounting-played.ts'

describe('a swap', () => {
  test('realises the worth of what is received less the cost of what is given', () => {
    const working = played(['acquire A 20 @100', 'swap A -10 @130, swap USDC 1200 @0.99'])
    expect(working.movements(1)).toEqual(['1000 188', '1188 0'])
    expect(working.pools('A', 'USDC')).toEqual(['10 at 1000', '1200 at 1188'])
    expect(working.totals().closedPnl).toBe('188')
  })

  test('of something into an unpriced asset is worth what is given', () => {
    const working = played(['acquire A 2 @50', 'swap A -2 @80, swap MEME 5'])
    expect([working.movements(1), working.pools('A')]).toEqual([['100 60', '160 0'], ['nothing']])
  })

  test('of several assets shares the proceeds by worth', () => {
    const working = played(['acquire A 1 @100', 'acquire B 1 @150', 'swap A -1 @300, swap B -1 @100, swap USDC 500 @1'])
    expect(working.movements(2)).toEqual(['100 275', '150 -25', '500 0'])
    expect(working.results[2]?.closedPnl?.toFixed()).toBe('250')
  })

  test('into several assets enters each at its worth', () => {
    const working = played(['acquire USDC 100 @1', 'swap USDC -100 @1, swap X 3 @10, swap Y 1 @90'])
    expect(working.movements(1)).toEqual(['100 20', '30 0', '90 0'])
  })

  test.each([
    ['leaves what is not priced the rest of the worth', 'swap X 3 @10, swap M 7', ['3 at 30', '7 at 70']],
    [
      'into several unpriced assets says that their cost is unknown',
      'swap X 3, swap M 7',
      ['3', '7'].map((n) => `${n} at unknown`),
    ],
  ])('%s', (_, received, pools) => {
    const working = played(['acquire USDC 100 @1', `swap USDC -100 @1, ${received}`])
    expect([working.pools('X', 'M'), working.totals().closedPnl]).toEqual([pools, '0'])
  })

  test('with a missing side is no swap', () => {
    const working = played(['acquire A 2 @50', 'swap A -1 @80', 'swap B 4 @20'])
    expect([working.movements(1), working.pools('B')]).toEqual([['50 0'], ['4 at 80']])
    expect(working.totals()).toMatchObject({ sentExternal: '80', closedPnl: '0' })
  })
})

describe('an unknown cost', () => {
  const unpriced = ['acquire A 2 @50', 'acquire M 10', 'swap M -4, swap N 1']

  test('comes from an inflow without a price and stays until the pool is empty', () => {
    const working = played([...unpriced, 'acquire M 1 @5'])
    expect(working.pools('M', 'N')).toEqual(['7 at unknown', '1 at unknown'])
    expect(played(['send M -7 @5', 'acquire M 1 @5'], working.state).pools('M')).toEqual(['1 at 5'])
  })

  test.each(['AVG', 'FIFO', 'LIFO', 'HIFO'] as const)('makes what is realised unknown by %s', (method) => {
    const working = played([...unpriced, 'acquire M 1 @5', 'swap M -1 @6, swap USDC 6 @1'], method)
    expect(working.movements(4)).toEqual(['unknown unknown', '6 0'])
    expect(working.results[4]?.closedPnl).toBeNull()
    expect(working.state.wallets.values().next().value?.unknownDisposals).toEqual({ [`ethereum ${named('M')}`]: 2 })
    expect(working.totals().flagged).toBe(false)
  })

  test('is what more than the pool had cost; the pool is flagged', () => {
    const working = played(['acquire A 2 @50', 'swap A -3 @80, swap USDC 240 @1'])
    expect([working.movements(1), working.pools('A')]).toEqual([['unknown unknown', '240 0'], ['0 at 0']])
    expect(working.totals().flagged).toBe(true)
    expect(working.state.pools.find((pool) => pool.flagged)?.short.toFixed()).toBe('1')
  })
})

test.each([
  ['AVG', '30', '30'],
  ['FIFO', '25', '35'],
  ['LIFO', '35', '25'],
  ['HIFO', '40', '20'],
] as const)('lots leave by %s: 1.5 of lots at 10, 30, 20 cost %s', (method, cost, left) => {
  const lots = ['acquire A 1 @10', 'acquire A 1 @30', 'acquire A 1 @20']
  const working = played([...lots, 'swap A -1.5 @40, swap USDC 60 @1'], method)
  expect(working.movements(3)?.[0]).toMatch(new RegExp(`^${cost} `))
  expect(working.pools('A')).toEqual([`1.5 at ${left}`])
})
