import { describe, expect, test } from 'vitest'
import { named, storedEntry } from '../../../../test/accounting-entries.ts'
import { NO_DOUBTS, wholePart } from '../../../../test/scopes.ts'
import type { EntryMovement } from '../../../domain/accounting/entry.ts'
import { NATIVE } from '../../../domain/evm-address.ts'
import type { Treatment } from '../../../domain/transaction.ts'
import { entryOf, type Rows } from './accounting-entries.ts'
import { doubtsOf } from './replay.ts'
import type { StoredEntry } from './stored-entries.ts'

const row = (token: string, amount: string, treatment: Treatment = 'swap', leg = 0) =>
  storedEntry({ token: named(token), amount, treatment, leg })

const facts = (_: string, token: string) => ({
  decimals: token === named('NONE') ? undefined : 0,
  ...{ identity: token, rebasing: false, listed: token === named('USDC') || token === named('WETH') },
})

/** Treatment of each movement if balances of LIE and WETH differed from their events. */
const treatments = (...rows: Rows) =>
  entryOf(rows, facts, {
    ...NO_DOUBTS,
    hasGap: ({ token }) => token === named('LIE') || token === named('WETH'),
  }).movements.map(({ treatment }) => treatment)

test('what a doubted token logs neither pays for anything nor is paid for', () => {
  expect(treatments(row('USDC', '-100'), row('LIE', '-5'), row('WETH', '1'))).toEqual(['swap', 'gap', 'swap'])
  expect(treatments(row('USDC', '-100'), row('LIE', '5'), row('WETH', '1'))).toEqual(['swap', 'gap', 'swap'])
  expect(treatments(row('LIE', '-5'), row('USDC', '1'))).toEqual(['gap', 'swap'])
  expect(treatments(row('LIE', '5', 'income'))).toEqual(['gap'])
  expect(treatments(row('LIE', '5', 'spam'))).toEqual(['gap'])
})

test('a doubted token that is all that was received was bought', () => {
  expect(treatments(row('USDC', '-100'), row('LIE', '5'))).toEqual(['swap', 'swap'])
  expect(treatments(row('USDC', '-100'), row('LIE', '5'), row('HONEST', '5'))).toEqual(['swap', 'gap', 'swap'])
  const weth = row('WETH', '5', 'swap', 1)
  expect(treatments(row('USDC', '-100'), row('LIE', '5'), weth)).toEqual(['swap', 'swap', 'swap'])
})

test('without decimals base units are counted, and no price is of them', () => {
  const [movement] = entryOf([row('NONE', '5000000')], facts, NO_DOUBTS).movements
  expect([movement?.quantity.toFixed(), movement?.price]).toEqual(['5000000', null])
})

describe('where nodes do not show every movement of native coin', () => {
  const silent = (own: StoredEntry): StoredEntry => ({ ...own, native_known: false })
  const doubts = doubtsOf(
    {
      parts: [wholePart(named('own'), 'ethereum', 5n)],
      elsewhere: [
        { wallet: named('saved'), chain: 'ethereum' },
        { wallet: named('own'), chain: 'base' },
      ],
    },
    new Map(),
  )
  const marksOf = (rows: Rows, type?: string) => {
    const [first, ...others] = rows.map((each) => (type === undefined ? each : { ...each, type }))
    return first && entryOf([first, ...others], facts, doubts).movements.map(markOf)
  }
  const markOf = ({ price, doubted, unpaid }: EntryMovement) =>
    [price ? 'priced' : 'unpriced', doubted && 'doubted', unpaid && 'unpaid'].filter(Boolean).join(' ')
  const coin = (amount: string, block: bigint, treatment: Treatment = 'swap') => ({
    ...row('', amount, treatment),
    token: NATIVE,
    block,
  })

  test('the coin is doubted from the first such block on, and its price is unknown where it was paid unseen', () => {
    expect(marksOf([coin('-1', 4n)])).toEqual(['priced'])
    expect(marksOf([coin('-1', 5n), row('USDC', '5')])).toEqual(['priced doubted', 'priced'])
    expect(marksOf([silent(coin('-1', 5n)), silent(row('USDC', '5'))])).toEqual(['unpriced doubted', 'priced'])
    expect(marksOf([silent(coin('1', 5n, 'acquire'))])).toEqual(['priced doubted'])
    expect(marksOf([silent(coin('-1', 5n, 'fee'))])).toEqual(['priced doubted'])
  })

  test('a token that leaves for nothing visible was sold unseen, unless it was plainly transferred', () => {
    expect(marksOf([silent(row('USDC', '-5', 'send'))])).toEqual(['priced unpaid'])
    expect(marksOf([{ ...silent(row('USDC', '-5', 'send')), plain: true }])).toEqual(['priced'])
    expect(marksOf([row('USDC', '-5', 'send')])).toEqual(['priced'])
  })

  test('a swap of tokens counts as it is shown, and what removed liquidity gave has an unknown cost', () => {
    expect(marksOf([silent(row('USDC', '-5')), silent(row('WETH', '1'))])).toEqual(['priced', 'priced'])
    const removed: Rows = [silent(row('POOL', '-5', 'move')), silent(row('WETH', '1', 'move'))]
    expect(marksOf(removed, 'REMOVELIQUIDITY')).toEqual(['priced', 'priced doubted'])
    expect(marksOf(removed, 'WITHDRAW')).toEqual(['priced', 'priced'])
  })

  test('what comes from a history that is not whole has no known cost', () => {
    const from = (name: string) => ({ ...row('USDC', '5', 'acquire'), counterparty: named(name) })
    expect(marksOf([from('saved')])).toEqual(['unpriced'])
    expect(marksOf([from('else')])).toEqual(['priced'])
    expect(marksOf([row('USDC', '5', 'bridge')])).toEqual(['unpriced'])
    expect(marksOf([row('USDC', '-5', 'bridge')])).toEqual(['priced'])
  })
})
