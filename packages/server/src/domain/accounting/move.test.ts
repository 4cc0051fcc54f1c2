import { describe, expect, test } from 'vitest'
import { entry, moved } from '../../../test/accounting-entries.ts'
import { played } from '../../../test/accounting-played.ts'

type Movements = Parameters<typeof entry>[0]
const into = (movements: Movements) => entry(movements, { type: 'DEPOSIT', protocol: 'vault' })
const outOf = (movements: Movements) => entry(movements, { type: 'WITHDRAW', protocol: 'vault' })

describe('a deposit taken back', () => {
  const start = ['acquire A 100 @1', into('move A -100 @2, move S 50 @4')]

  test('moves its cost there and back, and realises nothing', () => {
    const books = played(start)
    expect([books.pool('A'), books.pool('S'), books.totals().closedPnl]).toEqual(['nothing', '50 at 100', '0'])
    expect(books.movements(1)).toEqual(['100 0', '100 0'])
  })

  test('has earned what is more than went in', () => {
    const books = played([...start, outOf('move S -25 @4, move A 55 @2')])
    expect([books.pool('A'), books.pool('S')]).toEqual(['55 at 60', '25 at 50'])
    expect(books.totals().income).toBe('10')
  })

  test('carries its whole cost when it is less', () => {
    const books = played([...start, outOf('move S -50 @4, move A 90 @2')])
    expect([books.pool('A'), books.totals().income, books.totals().closedPnl]).toEqual(['90 at 100', '0', '0'])
  })

  test.each(['AVG', 'FIFO', 'LIFO'] as const)(
    'with receipts that were bought has earned by the others (%s)',
    (method) => {
      const books = played(
        [...start, 'acquire USDC 200 @1', 'swap USDC -200 @1, swap S 50 @4', outOf('move S -100 @4.4, move A 220 @2')],
        method,
      )
      // Half of the receipts were minted for 100 A: 110 − 100 are income, at 2. The others cost 200.
      expect([books.pool('A'), books.totals().income]).toEqual(['220 at 320', '20'])
    },
  )

  test('through several receipts is counted against what went in first', () => {
    const books = played([
      ...start,
      into('move S -50 @4, move FARM 50'),
      outOf('move FARM -25, move A 60 @2'),
      outOf('move FARM -25, move S 25 @4'),
      outOf('move S -25 @4, move A 50 @2'),
    ])
    expect([books.pool('A'), books.totals().income]).toEqual(['110 at 120', '20'])
  })

  test('in another asset moves its cost and earns nothing', () => {
    const books = played([...start, outOf('move S -50 @4, move B 400 @1')])
    expect([books.pool('B'), books.totals().income]).toEqual(['400 at 100', '0'])
  })

  test('in an unpriced asset has earned units that cost nothing', () => {
    const books = played([...start, outOf('move S -50, move A 110')])
    expect([books.pool('A'), books.totals().income]).toEqual(['110 at 100', '0'])
  })

  test('keeps the order in which its lots were acquired', () => {
    const books = played(
      [
        'acquire A 1 @10',
        'acquire A 1 @20',
        into('move A -1 @30, move S 4'),
        'acquire A 1 @30',
        outOf('move S -4, move A 1 @30'),
        'send A -1 @40',
      ],
      'FIFO',
    )
    expect(books.movements(5)).toEqual(['10 0'])
  })
})

describe('a position of several assets', () => {
  const liquidity = [
    'acquire A 10 @10',
    'acquire B 300 @1',
    entry('move A -10 @30, move B -300 @1, move LP 60', {
      type: 'ADDLIQUIDITY',
      protocol: 'pool',
    }),
  ]
  const removed = entry('move LP -30, move A 4 @45, move B 180 @1', { type: 'REMOVELIQUIDITY', protocol: 'pool' })

  test('gives its cost back by worth and earns nothing', () => {
    const books = played([...liquidity, removed])
    expect([books.pool('LP'), books.pool('A'), books.pool('B')]).toEqual(['30 at 200', '4 at 100', '180 at 100'])
    expect([books.totals().income, books.totals().closedPnl]).toEqual(['0', '0'])
  })

  test('is taken out whatever the whole transaction is called', () => {
    const books = played([
      ...liquidity,
      { ...removed, type: 'MULTITYPE' },
      entry('move A -4 @45, move SA 4 @45', { type: 'LEND', protocol: 'market' }),
      entry('move SA -4 @45, move A 4.5 @40', {
        type: 'WITHDRAW',
        protocol: 'market',
      }),
    ])
    expect([books.pool('A'), books.totals().income]).toEqual(['4.5 at 120', '20'])
  })

  test('taken out in one asset carries the whole cost', () => {
    const books = played([
      ...liquidity,
      entry('move LP -60, move A 18 @33', {
        type: 'REMOVELIQUIDITY',
        protocol: 'pool',
      }),
    ])
    expect([books.pool('A'), books.totals().income]).toEqual(['18 at 400', '0'])
  })
})

describe('what goes to the wallet itself, or only changes its form', () => {
  test('stays what it is', () => {
    const books = played([
      'acquire ETH 3 @100',
      entry('move ETH -1 @120, move ETH 1 @120', { type: 'SELFTRANSFER' }),
      entry(['move ETH -2 @120', moved('move', 'WETH', '2', '120', { identity: 'ETH' })], {
        type: 'WRAP',
      }),
      into([moved('move', 'WETH', '-2', '120', { identity: 'ETH' }), 'move S 2 @120']),
      outOf('move S -2 @120, move ETH 2.5 @120'),
    ])
    expect([books.pool('ETH'), books.totals().income]).toEqual(['3.5 at 360', '60'])
  })
})

describe('what is given for nothing yet', () => {
  const locked = ['acquire A 10 @2', into('move A -10 @3')]

  test('waits in a position of that name and comes back from there', () => {
    const books = played(locked)
    expect([books.pool('A'), books.pool('A', { position: 'vault' })]).toEqual(['nothing', '10 at 20'])
    const part = played([outOf('move A 4 @3')], books.state)
    expect([part.pool('A'), part.pool('A', { position: 'vault' }), part.totals().income]).toEqual([
      '4 at 8',
      '6 at 12',
      '0',
    ])
    const all = played([outOf('move A 6.5 @4')], part.state)
    expect([all.pool('A'), all.pool('A', { position: 'vault' }), all.totals().income]).toEqual([
      '10.5 at 22',
      'nothing',
      '2',
    ])
  })

  test('brings receipts that come later', () => {
    const books = played([...locked, into('move S 5'), outOf('move S -5, move A 11 @3')])
    expect([books.pool('A'), books.pool('A', { position: 'vault' }), books.totals().income]).toEqual([
      '11 at 23',
      'nothing',
      '3',
    ])
  })

  test('recovers its cost first when something else comes out in parts', () => {
    const books = played([...locked, outOf('move B 5 @3')])
    expect([books.pool('B'), books.pool('A', { position: 'vault' })]).toEqual(['5 at 15', '2.5 at 5'])
    const rest = played([outOf('move B 10 @3')], books.state)
    expect([rest.pool('B'), rest.pool('A', { position: 'vault' })]).toEqual(['15 at 20', 'nothing'])
  })

  test('is a claim when it is an NFT', () => {
    const books = played([
      'acquire ETH 1 @1000',
      entry('move ETH -1 @1000, move STETH 1 @1000', {
        type: 'STAKE',
        protocol: 'lido',
      }),
      'interest STETH 0.1 @1100',
      entry(['move STETH -1.1 @1100', moved('move', 'CLAIM', '1', null, { tokenId: 7n })], {
        type: 'UNSTAKE',
        protocol: 'lido',
      }),
      entry([moved('move', 'CLAIM', '-1', null, { tokenId: 7n }), 'move ETH 1.1 @1200'], {
        type: 'WITHDRAW',
        protocol: 'lido',
      }),
    ])
    expect([books.pool('ETH'), books.totals().income]).toEqual(['1.1 at 1110', '110'])
  })

  test('that was never put in comes from outside', () => {
    const books = played([outOf('move A 4 @3')])
    expect([books.pool('A'), books.totals().income]).toEqual(['4 at 12', '0'])
  })
})

describe('an NFT that stands for liquidity', () => {
  const nft = (id: bigint, amount = '1') => moved('move', 'NFT', amount, null, { tokenId: id })
  const put = (...extra: ReturnType<typeof moved>[]) =>
    entry(['move A -1 @100', 'move B -100 @1', ...extra], {
      type: 'ADDLIQUIDITY',
      protocol: 'pools',
    })
  const got = (a: string, b: string, ...extra: ReturnType<typeof moved>[]) =>
    entry([moved('move', 'A', a, '100'), moved('move', 'B', b, '1'), ...extra], {
      type: 'REMOVELIQUIDITY',
      protocol: 'pools',
    })
  const funds = ['acquire A 5 @80', 'acquire B 500 @1']

  test('costs what was put in at once and later', () => {
    const books = played([...funds, put(nft(1n)), put()])
    expect([books.pool('NFT', { tokenId: 1n }), books.pool('A'), books.pool('B')]).toEqual([
      '1 at 360',
      '3 at 240',
      '300 at 300',
    ])
    const burned = played([got('2', '160', nft(1n, '-1'))], books.state)
    // 200 and 160 of worth share the cost of 360.
    expect([burned.pool('NFT', { tokenId: 1n }), burned.pool('A'), burned.pool('B')]).toEqual([
      'nothing',
      '5 at 440',
      '460 at 460',
    ])
  })

  test('recovers its cost first when parts are taken out, and stays one NFT', () => {
    const books = played([...funds, put(nft(1n)), got('0.5', '40')])
    expect([books.pool('NFT', { tokenId: 1n }), books.pool('A'), books.pool('B')]).toEqual([
      '1 at 90',
      '4.5 at 370',
      '440 at 440',
    ])
    const rest = played([got('0.6', '60'), got('0.1', '10')], books.state)
    expect(rest.pool('NFT', { tokenId: 1n })).toBe('1 at 0')
    expect([rest.pool('A'), rest.pool('B')]).toEqual(['5.2 at 415', '510 at 485'])
    expect([rest.totals().flagged, rest.totals().income]).toEqual([false, '0'])
  })

  test('is staked and comes back with its own cost, whatever was put in or taken out meanwhile', () => {
    const farm = (type: 'STAKE' | 'UNSTAKE', id: bigint) =>
      entry([nft(id, type === 'STAKE' ? '-1' : '1')], { type, protocol: 'farm' })
    const start = [...funds, put(nft(1n)), put(nft(2n)), put(nft(2n, '0')), farm('STAKE', 1n), farm('STAKE', 2n)]
    const staked = played(start)
    const inFarm = (books: typeof staked, tokenId: bigint) => books.pool('NFT', { tokenId, position: 'farm' })
    expect([inFarm(staked, 1n), inFarm(staked, 2n), staked.pool('A')]).toEqual(['1 at 180', '1 at 360', '2 at 160'])
    const back = played([farm('UNSTAKE', 2n)], staked.state)
    expect([inFarm(back, 1n), inFarm(back, 2n)]).toEqual(['1 at 180', 'nothing'])
    expect(back.pool('NFT', { tokenId: 2n })).toBe('1 at 360')
    const more = played([put(nft(1n, '0')), farm('UNSTAKE', 1n)], staked.state)
    expect([more.pool('NFT', { tokenId: 1n }), inFarm(more, 2n), more.pool('A')]).toEqual([
      '1 at 360',
      '1 at 360',
      '1 at 80',
    ])
    const less = played([got('0.5', '40', nft(1n, '0'))], staked.state)
    // 90 of worth recover 90 of the cost of 180.
    expect([inFarm(less, 1n), less.pool('A')]).toEqual(['1 at 90', '2.5 at 210'])
    expect(played([farm('UNSTAKE', 1n)], less.state).pool('NFT', { tokenId: 1n })).toBe('1 at 90')
  })

  test('is distinguished from others by a movement of nothing that names it', () => {
    const books = played([...funds, put(nft(1n)), put(nft(2n)), put(nft(2n, '0')), got('1', '80', nft(1n, '0'))])
    expect([books.pool('NFT', { tokenId: 1n }), books.pool('NFT', { tokenId: 2n })]).toEqual(['1 at 0', '1 at 360'])
    expect(books.pool('A')).toBe('3 at 260')
  })
})
