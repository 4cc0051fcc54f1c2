import { expect, test } from 'vitest'
import { named } from '../../../../test/accounting-entries.ts'
import type { Treatment } from '../../../domain/transaction.ts'
import { entryOf, type Rows } from './accounting-entries.ts'
import type { StoredEntry } from './accounting-store.ts'

const row = (token: string, amount: string, treatment: Treatment = 'swap', leg = 0): StoredEntry => ({
  ...{ wallet: named('own'), chain: 'ethereum', block: 1n, time: 1_800_000_000, tx_index: 0, hash: '0x1' },
  ...{ type: 'SWAP', protocol: null, place: 0, token: named(token), token_id: null, amount, counterparty: null },
  ...{ debt: false, leg, treatment, price: '1' },
})

const facts = (_: string, token: string) => ({
  decimals: token === named('NONE') ? undefined : 0,
  ...{ identity: token, rebasing: false, listed: token === named('USDC') || token === named('WETH') },
})

/** What each movement counts as where the balances of LIE and WETH differed from what their events said. */
const treatments = (...rows: Rows) =>
  entryOf(rows, facts, ({ token }) => token === named('LIE') || token === named('WETH')).movements.map(
    ({ treatment }) => treatment,
  )

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
  expect(treatments(row('USDC', '-100'), row('LIE', '5'), row('WETH', '5', 'swap', 1))).toEqual([
    'swap',
    'swap',
    'swap',
  ])
})

test('without decimals base units are counted, and no price is of them', () => {
  const [movement] = entryOf([row('NONE', '5000000')], facts, () => false).movements
  expect([movement?.quantity.toFixed(), movement?.price]).toEqual(['5000000', null])
})
