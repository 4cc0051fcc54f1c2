import { describe, expect, test } from 'vitest'
import { named } from '../../../test/accounting-entries.ts'
import { played } from '../../../test/accounting-played.ts'
import { keyedPosition } from './state.ts'

describe('a cooldown', () => {
  const waiting = `A in ${keyedPosition(named('SILO'), 0n)}`
  const start = ['acquire A 1000 @1', 'STAKE ethena: move A -1000 @1, move S 900']
  /** Shares become the assets due, which wait in the silo. */
  const request = (shares: string, assets: string, price = '1') =>
    `UNSTAKE ethena: move S -${shares}, move A ${assets} @${price}, move A -${assets} @${price} leg:1, move SILO 0 #0 leg:1`
  const settlement = (assets: string, price = '1') => `WITHDRAW ethena: move A ${assets} @${price}, move SILO 0 #0`

  test('earns at the request what shares grew by, and moves all of it in and out', () => {
    const requests = [...start, request('450', '550'), request('225', '300', '1.02')]
    // 450 of 900 shares stand for 500: 50 are income. 225 stand for 250: 50 are income at 1.02, 51.
    const working = played(requests)
    expect([working.pools('S', waiting), working.totals().income]).toEqual([['225 at 250', '850 at 851'], '101'])
    const settled = played([...requests, settlement('850', '1.5')])
    expect(settled.pools('A', waiting)).toEqual(['850 at 851', 'nothing'])
    expect(settled.totals()).toMatchObject({ income: '101', closedPnl: '0' })
  })

  test('of bought shares keeps their cost, and none of it remains', () => {
    const working = played(['acquire USDC 1200 @1', 'swap USDC -1200 @1, swap S 1000', request('1000', '1180')])
    expect([working.pools(waiting), working.totals().income]).toEqual([['1180 at 1200'], '0'])
    const settled = played([settlement('1180')], working.state)
    expect([settled.pools('A', waiting), settled.totals().income]).toEqual([['1180 at 1200', 'nothing'], '0'])
  })

  test('that somebody else pays a unit of loses no more than that unit', () => {
    const working = played([...start, request('900', '1000'), settlement('1')])
    expect(working.pools('A', waiting)).toEqual(['1 at 1', '999 at 999'])
    // The surplus of the payout is income in the end.
    const settled = played([settlement('1000')], working.state)
    expect([settled.pools('A', waiting), settled.totals().income]).toEqual([['1001 at 1001', 'nothing'], '1'])
  })
})

describe('a request with an NFT', () => {
  const UNIT = '0.000000000000000001'
  const start = [
    'acquire ETH 10 @2000',
    'STAKE lido: move ETH -10 @2000, move stETH 10 @1998',
    `UNSTAKE lido: move stETH -4 @2100, move NFT ${UNIT} #7`,
  ]

  test('has the cost of what waits', () => {
    expect(played(start).pools('stETH', 'NFT #7')).toEqual(['6 at 12000', `${UNIT} at 8000`])
  })

  test.each([
    ['as much', '4', '4 at 8000', '0'],
    ['less: the coin carries the whole cost', '3.6', '3.6 at 8000', '0'],
    ['more: the rest was earned', '4.1', '4.1 at 8300', '300'],
  ])('is paid %s', (_, coin, expected, income) => {
    const working = played([...start, `WITHDRAW lido: move NFT -${UNIT} #7, move ETH ${coin} @3000`])
    expect(working.pools('ETH', 'NFT #7')).toEqual([expected, 'nothing'])
    expect(working.totals()).toMatchObject({ income, closedPnl: '0' })
  })
})

describe('locks as NFTs', () => {
  const locked = ['acquire A 100 @2', 'STAKE solidly: move A -100 @3, move VE 1 #1']
  const parts = 'move A -70 @3 leg:1, move VE 1 #2 leg:1, move A -30 @3 leg:2, move VE 1 #3 leg:2'
  const split = `STAKE solidly: move VE -1 #1, move A 100 @3, ${parts}`
  const merged = 'STAKE solidly: move VE -1 #2, move A 70 @3, move A -70 @3 leg:1, move VE 0 #3 leg:1'

  test('share their cost by the amounts when one is split', () => {
    const working = played([...locked, split])
    expect(working.pools('VE #1', 'VE #2', 'VE #3')).toEqual(['nothing', '1 at 140', '1 at 60'])
    expect(working.totals()).toMatchObject({ income: '0', closedPnl: '0' })
  })

  test('have the cost of both when they are merged, and give it back', () => {
    const working = played([...locked, split, merged])
    expect(working.pools('VE #2', 'VE #3')).toEqual(['nothing', '1 at 200'])
    // A rebase of 10 was added to the lock: income when it is taken out, at 3.
    const settled = played(['UNSTAKE solidly: move VE -1 #3, move A 110 @3'], working.state)
    expect(settled.pools('VE #3', 'A')).toEqual(['nothing', '110 at 230'])
    expect(settled.totals()).toMatchObject({ income: '30', closedPnl: '0' })
  })
})

describe('two tokens for one', () => {
  const split = (pt: string, yt: string) => ['acquire SY 10 @2', `DEPOSIT pendle: move SY -10 @2.5, ${pt}, ${yt}`]

  test('share its cost by their worth, and give it back', () => {
    const working = played(split('move PT 12 @1.8', 'move YT 12 @0.2'))
    expect(working.pools('PT', 'YT')).toEqual(['12 at 18', '12 at 2'])
    const back = 'WITHDRAW pendle: move PT -12 @1.8, move YT -12 @0.2, move SY 10 @2.5'
    expect(played([back], working.state).pools('SY')).toEqual(['10 at 20'])
  })

  test('have an unknown cost where neither has a price, and the rest where one has', () => {
    const unknown = played(split('move PT 12', 'move YT 12'))
    expect(unknown.pools('PT', 'YT')).toEqual(['12 at unknown', '12 at unknown'])
    expect(played(split('move PT 12 @1.5', 'move YT 12')).pools('PT', 'YT')).toEqual(['12 at 18', '12 at 2'])
  })
})
