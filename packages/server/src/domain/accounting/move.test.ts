import { describe, expect, test } from 'vitest'
import { played } from '../../../test/accounting-played.ts'

const into = (movements: string) => `DEPOSIT vault: ${movements}`
const outOf = (movements: string) => `WITHDRAW vault: ${movements}`

describe('a deposit taken back', () => {
  const start = ['acquire A 100 @1', into('move A -100 @2, move S 50 @4')]

  test('moves its cost there and back, and realises nothing', () => {
    const working = played(start)
    expect([working.pools('A', 'S'), working.totals().closedPnl]).toEqual([['nothing', '50 at 100'], '0'])
    expect(working.movements(1)).toEqual(['100 0', '100 0'])
  })

  test.each([
    ['has earned what is more than went in', 'move S -25 @4, move A 55 @2', { A: '55 at 60', S: '25 at 50' }, '10'],
    ['carries its whole cost when it is less', 'move S -50 @4, move A 90 @2', { A: '90 at 100' }, '0'],
    ['in another asset moves its cost and earns nothing', 'move S -50 @4, move B 400 @1', { B: '400 at 100' }, '0'],
    ['in an unpriced asset has earned units that cost nothing', 'move S -50, move A 110', { A: '110 at 100' }, '0'],
  ])('%s', (_, movements, pools, income) => {
    const working = played([...start, outOf(movements)])
    expect(working.pools(...Object.keys(pools))).toEqual(Object.values(pools))
    expect(working.totals()).toMatchObject({ income, closedPnl: '0' })
  })

  test.each(['AVG', 'FIFO', 'LIFO'] as const)(
    'with receipts that were bought has earned by the others (%s)',
    (method) => {
      const bought = ['acquire USDC 200 @1', 'swap USDC -200 @1, swap S 50 @4']
      const working = played([...start, ...bought, outOf('move S -100 @4.4, move A 220 @2')], method)
      // Half of the receipts were minted for 100 A: 110 − 100 are income, at 2. The others cost 200.
      expect([working.pools('A'), working.totals().income]).toEqual([['220 at 320'], '20'])
    },
  )

  test('through several receipts is counted against what went in first', () => {
    const working = played([
      ...start,
      into('move S -50 @4, move FARM 50'),
      outOf('move FARM -25, move A 60 @2'),
      outOf('move FARM -25, move S 25 @4'),
      outOf('move S -25 @4, move A 50 @2'),
    ])
    expect([working.pools('A'), working.totals().income]).toEqual([['110 at 120'], '20'])
  })

  test('keeps the order in which its lots were acquired', () => {
    const lots = ['acquire A 1 @10', 'acquire A 1 @20', into('move A -1 @30, move S 4'), 'acquire A 1 @30']
    const working = played([...lots, outOf('move S -4, move A 1 @30'), 'send A -1 @40'], 'FIFO')
    expect(working.movements(5)).toEqual(['10 0'])
  })
})

describe('a position of several assets', () => {
  const added = 'ADDLIQUIDITY pool: move A -10 @30, move B -300 @1, move LP 60'
  const liquidity = ['acquire A 10 @10', 'acquire B 300 @1', added]
  const removed = 'pool: move LP -30, move A 4 @45, move B 180 @1'

  test('gives its cost back by worth and earns nothing', () => {
    const working = played([...liquidity, `REMOVELIQUIDITY ${removed}`])
    expect(working.pools('LP', 'A', 'B')).toEqual(['30 at 200', '4 at 100', '180 at 100'])
    expect(working.totals()).toMatchObject({ income: '0', closedPnl: '0' })
  })

  test('is taken out whatever the whole transaction is called', () => {
    const lent = ['LEND market: move A -4 @45, move SA 4 @45', 'WITHDRAW market: move SA -4 @45, move A 4.5 @40']
    const working = played([...liquidity, `MULTITYPE ${removed}`, ...lent])
    expect([working.pools('A'), working.totals().income]).toEqual([['4.5 at 120'], '20'])
  })

  test('taken out in one asset carries the whole cost', () => {
    const working = played([...liquidity, 'REMOVELIQUIDITY pool: move LP -60, move A 18 @33'])
    expect([working.pools('A'), working.totals().income]).toEqual([['18 at 400'], '0'])
  })
})

test('what goes to the wallet itself, or only changes its form, stays what it is', () => {
  const working = played([
    'acquire ETH 3 @100',
    'SELFTRANSFER: move ETH -1 @120, move ETH 1 @120',
    'WRAP: move ETH -2 @120, move WETH 2 @120 as:ETH',
    into('move WETH -2 @120 as:ETH, move S 2 @120'),
    outOf('move S -2 @120, move ETH 2.5 @120'),
  ])
  expect([working.pools('ETH'), working.totals().income]).toEqual([['3.5 at 360'], '60'])
})

describe('what is given for nothing yet', () => {
  const locked = ['acquire A 10 @2', into('move A -10 @3')]

  test('waits in a position of that name and comes back from there', () => {
    const working = played(locked)
    expect(working.pools('A', 'A in vault')).toEqual(['nothing', '10 at 20'])
    const part = played([outOf('move A 4 @3')], working.state)
    expect([part.pools('A', 'A in vault'), part.totals().income]).toEqual([['4 at 8', '6 at 12'], '0'])
    const all = played([outOf('move A 6.5 @4')], part.state)
    expect([all.pools('A', 'A in vault'), all.totals().income]).toEqual([['10.5 at 22', 'nothing'], '2'])
  })

  test('brings receipts that come later', () => {
    const working = played([...locked, into('move S 5'), outOf('move S -5, move A 11 @3')])
    expect([working.pools('A', 'A in vault'), working.totals().income]).toEqual([['11 at 23', 'nothing'], '3'])
  })

  test('recovers its cost first when something else comes out in parts', () => {
    const working = played([...locked, outOf('move B 5 @3')])
    expect(working.pools('B', 'A in vault')).toEqual(['5 at 15', '2.5 at 5'])
    const rest = played([outOf('move B 10 @3')], working.state)
    expect(rest.pools('B', 'A in vault')).toEqual(['15 at 20', 'nothing'])
  })

  test('is a claim when it is an NFT', () => {
    const working = played([
      'acquire ETH 1 @1000',
      'STAKE lido: move ETH -1 @1000, move STETH 1 @1000',
      'interest STETH 0.1 @1100',
      'UNSTAKE lido: move STETH -1.1 @1100, move CLAIM 1 #7',
      'WITHDRAW lido: move CLAIM -1 #7, move ETH 1.1 @1200',
    ])
    expect([working.pools('ETH'), working.totals().income]).toEqual([['1.1 at 1110'], '110'])
  })

  test('that was never put in comes from outside', () => {
    const working = played([outOf('move A 4 @3')])
    expect([working.pools('A'), working.totals().income]).toEqual([['4 at 12'], '0'])
  })
})

describe('an NFT that stands for liquidity', () => {
  const funds = ['acquire A 5 @80', 'acquire B 500 @1']
  /** Adds 1 A and 100 B. `nft`: `, move NFT …`. */
  const put = (nft = '') => `ADDLIQUIDITY pools: move A -1 @100, move B -100 @1${nft}`
  const got = (a: string, b: string, nft = '') => `REMOVELIQUIDITY pools: move A ${a} @100, move B ${b} @1${nft}`
  const [first, second] = [put(', move NFT 1 #1'), put(', move NFT 1 #2')]
  const [moreToFirst, moreToSecond] = [put(', move NFT 0 #1'), put(', move NFT 0 #2')]

  test('costs what was put in at once and later', () => {
    const working = played([...funds, first, put()])
    expect(working.pools('NFT #1', 'A', 'B')).toEqual(['1 at 360', '3 at 240', '300 at 300'])
    const burned = played([got('2', '160', ', move NFT -1 #1')], working.state)
    // 200 and 160 of worth share the cost of 360.
    expect(burned.pools('NFT #1', 'A', 'B')).toEqual(['nothing', '5 at 440', '460 at 460'])
  })

  test('recovers its cost first when parts are taken out, and stays one NFT', () => {
    const working = played([...funds, first, got('0.5', '40')])
    expect(working.pools('NFT #1', 'A', 'B')).toEqual(['1 at 90', '4.5 at 370', '440 at 440'])
    const rest = played([got('0.6', '60'), got('0.1', '10')], working.state)
    expect(rest.pools('NFT #1', 'A', 'B')).toEqual(['1 at 0', '5.2 at 415', '510 at 485'])
    expect(rest.totals()).toMatchObject({ flagged: false, income: '0' })
  })

  test('is staked and comes back with its own cost, whatever was put in or taken out meanwhile', () => {
    const unstaked = (id: number) => `UNSTAKE farm: move NFT 1 #${id}`
    const farmed = [1, 2].map((id) => `STAKE farm: move NFT -1 #${id}`)
    const staked = played([...funds, first, second, moreToSecond, ...farmed])
    expect(staked.pools('NFT #1 in farm', 'NFT #2 in farm', 'A')).toEqual(['1 at 180', '1 at 360', '2 at 160'])
    const back = played([unstaked(2)], staked.state)
    expect(back.pools('NFT #1 in farm', 'NFT #2 in farm', 'NFT #2')).toEqual(['1 at 180', 'nothing', '1 at 360'])
    const more = played([moreToFirst, unstaked(1)], staked.state)
    expect(more.pools('NFT #1', 'NFT #2 in farm', 'A')).toEqual(['1 at 360', '1 at 360', '1 at 80'])
    const less = played([got('0.5', '40', ', move NFT 0 #1')], staked.state)
    // 90 of worth recover 90 of the cost of 180.
    expect(less.pools('NFT #1 in farm', 'A')).toEqual(['1 at 90', '2.5 at 210'])
    expect(played([unstaked(1)], less.state).pools('NFT #1')).toEqual(['1 at 90'])
  })

  test('is distinguished from others by a movement of nothing that names it', () => {
    const working = played([...funds, first, second, moreToSecond, got('1', '80', ', move NFT 0 #1')])
    expect(working.pools('NFT #1', 'NFT #2', 'A')).toEqual(['1 at 0', '1 at 360', '3 at 260'])
  })
})
