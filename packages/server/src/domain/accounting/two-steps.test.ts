import { describe, expect, test } from 'vitest'
import { entry, moved, named } from '../../../test/accounting-entries.ts'
import { played } from '../../../test/accounting-played.ts'
import { keyedPosition } from './state.ts'

const silo = keyedPosition(named('SILO'), 0n)
const at = { position: silo }
const naming = { tokenId: 0n, leg: 1 }
const asked = { type: 'UNSTAKE', protocol: 'ethena' } as const
const paid = { type: 'WITHDRAW', protocol: 'ethena' } as const

/** Shares become the assets due, which wait in the silo. */
const request = (shares: string, assets: string, price = '1') =>
  entry(
    [
      moved('move', 'S', `-${shares}`, null),
      moved('move', 'A', assets, price),
      moved('move', 'A', `-${assets}`, price, { leg: 1 }),
      moved('move', 'SILO', '0', null, naming),
    ],
    asked,
  )
const settlement = (assets: string, price = '1') =>
  entry([moved('move', 'A', assets, price), moved('move', 'SILO', '0', null, { tokenId: 0n })], paid)

describe('a cooldown', () => {
  const start = ['acquire A 1000 @1', entry('move A -1000 @1, move S 900', { type: 'STAKE', protocol: 'ethena' })]

  test('earns at the request what shares grew by, and moves all of it in and out', () => {
    const waiting = [...start, request('450', '550'), request('225', '300', '1.02')]
    // 450 of 900 shares stand for 500: 50 are income. 225 stand for 250: 50 are income at 1.02, 51.
    const books = played(waiting)
    expect([books.pool('S'), books.pool('A', at), books.totals().income]).toEqual(['225 at 250', '850 at 851', '101'])
    const settled = played([...waiting, settlement('850', '1.5')])
    expect([settled.pool('A'), settled.pool('A', at)]).toEqual(['850 at 851', 'nothing'])
    expect([settled.totals().income, settled.totals().closedPnl]).toEqual(['101', '0'])
  })

  test('of bought shares keeps their cost, and none of it remains', () => {
    const books = played(['acquire USDC 1200 @1', 'swap USDC -1200 @1, swap S 1000', request('1000', '1180')])
    expect([books.pool('A', at), books.totals().income]).toEqual(['1180 at 1200', '0'])
    const settled = played([settlement('1180')], books.state)
    expect([settled.pool('A'), settled.pool('A', at), settled.totals().income]).toEqual([
      '1180 at 1200',
      'nothing',
      '0',
    ])
  })

  test('that somebody else pays a unit of loses no more than that unit', () => {
    const books = played([...start, request('900', '1000'), settlement('1')])
    expect([books.pool('A'), books.pool('A', at)]).toEqual(['1 at 1', '999 at 999'])
    // The surplus of the payout is income in the end.
    const settled = played([settlement('1000')], books.state)
    expect([settled.pool('A'), settled.pool('A', at), settled.totals().income]).toEqual([
      '1001 at 1001',
      'nothing',
      '1',
    ])
  })
})

describe('a request with an NFT', () => {
  const nft = { tokenId: 7n, leg: 0 }
  const start = [
    'acquire ETH 10 @2000',
    entry('move ETH -10 @2000, move stETH 10 @1998', {
      ...{ type: 'STAKE', protocol: 'lido' },
    }),
    entry(['move stETH -4 @2100', moved('move', 'NFT', '0.000000000000000001', null, nft)], {
      ...{ type: 'UNSTAKE', protocol: 'lido' },
    }),
  ]
  const claim = (coin: string, price: string) =>
    entry([moved('move', 'NFT', '-0.000000000000000001', null, nft), moved('move', 'ETH', coin, price)], {
      ...{ type: 'WITHDRAW', protocol: 'lido' },
    })

  test('has the cost of what waits', () => {
    const books = played(start)
    expect([books.pool('stETH'), books.pool('NFT', { tokenId: 7n })]).toEqual([
      '6 at 12000',
      '0.000000000000000001 at 8000',
    ])
  })

  test.each([
    ['as much', '4', '4 at 8000', '0'],
    ['less: the coin carries the whole cost', '3.6', '3.6 at 8000', '0'],
    ['more: the rest was earned', '4.1', '4.1 at 8300', '300'],
  ])('is paid %s', (_, coin, expected, income) => {
    const books = played([...start, claim(coin, '3000')])
    expect([books.pool('ETH'), books.pool('NFT', { tokenId: 7n })]).toEqual([expected, 'nothing'])
    expect([books.totals().income, books.totals().closedPnl]).toEqual([income, '0'])
  })
})

describe('locks as NFTs', () => {
  const staked = { type: 'STAKE', protocol: 'solidly' } as const
  const nft = (amount: string, tokenId: bigint, leg = 0) => moved('move', 'VE', amount, null, { tokenId, leg })
  const locked = ['acquire A 100 @2', entry(['move A -100 @3', nft('1', 1n)], staked)]
  const split = entry(
    [
      ...[nft('-1', 1n), moved('move', 'A', '100', '3')],
      ...[moved('move', 'A', '-70', '3', { leg: 1 }), nft('1', 2n, 1)],
      ...[moved('move', 'A', '-30', '3', { leg: 2 }), nft('1', 3n, 2)],
    ],
    staked,
  )
  const merged = entry(
    [nft('-1', 2n), 'move A 70 @3', moved('move', 'A', '-70', '3', { leg: 1 }), nft('0', 3n, 1)],
    staked,
  )

  test('share their cost by the amounts when one is split', () => {
    const books = played([...locked, split])
    expect([1n, 2n, 3n].map((tokenId) => books.pool('VE', { tokenId }))).toEqual(['nothing', '1 at 140', '1 at 60'])
    expect(books.totals()).toMatchObject({ income: '0', closedPnl: '0' })
  })

  test('have the cost of both when they are merged, and give it back', () => {
    const books = played([...locked, split, merged])
    expect([2n, 3n].map((tokenId) => books.pool('VE', { tokenId }))).toEqual(['nothing', '1 at 200'])
    // A rebase of 10 was added to the lock: income when it is taken out, at 3.
    const out = entry([nft('-1', 3n), 'move A 110 @3'], { type: 'UNSTAKE', protocol: 'solidly' })
    const settled = played([out], books.state)
    expect([settled.pool('VE', { tokenId: 3n }), settled.pool('A')]).toEqual(['nothing', '110 at 230'])
    expect(settled.totals()).toMatchObject({ income: '30', closedPnl: '0' })
  })
})

describe('two tokens for one', () => {
  const split = (pt: string | null, yt: string | null) => [
    'acquire SY 10 @2',
    entry(['move SY -10 @2.5', moved('move', 'PT', '12', pt), moved('move', 'YT', '12', yt)], {
      type: 'DEPOSIT',
      protocol: 'pendle',
    }),
  ]
  const back = entry('move PT -12 @1.8, move YT -12 @0.2, move SY 10 @2.5', { type: 'WITHDRAW', protocol: 'pendle' })

  test('share its cost by their worth, and give it back', () => {
    const books = played(split('1.8', '0.2'))
    expect([books.pool('PT'), books.pool('YT')]).toEqual(['12 at 18', '12 at 2'])
    expect(played([back], books.state).pool('SY')).toBe('10 at 20')
  })

  test('have an unknown cost where neither has a price, and the rest where one has', () => {
    const unknown = played(split(null, null))
    expect([unknown.pool('PT'), unknown.pool('YT')]).toEqual(['12 at unknown', '12 at unknown'])
    const rest = played(split('1.5', null))
    expect([rest.pool('PT'), rest.pool('YT')]).toEqual(['12 at 18', '12 at 2'])
  })
})
