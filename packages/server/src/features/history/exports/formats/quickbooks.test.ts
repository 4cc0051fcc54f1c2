import { expect, test } from 'vitest'
import type { ImportRow, RowPart } from '../import-rows.ts'
import { journalOf } from './quickbooks.ts'

const part = (amount: string, asset: string, worth: string | null): RowPart => ({
  ...{ amount, asset, worth, price: null, other: '' },
})
const row = (sides: Partial<ImportRow>): ImportRow => ({
  ...{ kind: 'deposit', time: 0, type: 'TRANSFERIN', sent: null, received: null, fee: null },
  ...{ wallet: '0xa', chain: 'ethereum', hash: '0xb', group: '0xb:0', note: '', ...sides },
})
const shown = (one: ImportRow) =>
  journalOf([one]).map(({ account, debit, credit, description }) => [account, debit, credit, description])

test('what has no price is named on a line of nothing', () => {
  expect(shown(row({ received: part('1000', 'NOVA', null), note: 'line 1 of 2' }))).toEqual([
    ['Crypto clearing', '0.00', '', 'line 1 of 2; not booked: 1000 NOVA, which has no price'],
  ])
})

test('a trade for something without a price books the other side', () => {
  const trade = row({ kind: 'trade', sent: part('2', 'USDC', '2'), received: part('1000', 'NOVA', null) })
  const named = 'not booked: 1000 NOVA, which has no price'
  expect(shown(trade)).toEqual([
    ['Crypto assets:USDC', '', '2.00', named],
    ['Crypto clearing', '2.00', '', named],
  ])
})

test('what is worth nothing is in no journal', () => {
  expect(shown(row({ received: part('1', 'DUST', '0') }))).toEqual([])
})
