import { expect, it } from 'vitest'
import { newFinds } from '../../../../test/solana/accounts-reader.ts'
import { CLOCK, readerOf, WALLET } from '../../../../test/solana/protocol-bench.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SolanaAdapter } from '../protocols/adapter.ts'
import { readPositions } from './read-positions.ts'

const scope = { reader: readerOf([]), wallet: WALLET, clock: CLOCK, held: [], found: newFinds() }
const amounts = { supplied: [{ token: 'mint', amountRaw: 5n }], borrowed: [], rewards: [] }
const adapter: SolanaAdapter = {
  ...{ key: 'bank', title: 'Bank', siteUrl: 'https://bank.example', searched: ['one', 'other'] },
  async positions({ used, leftOut }) {
    leftOut?.(new UpstreamError('invalid', 'one of its accounts is not known'))
    return [{ ...amounts, kind: 'lending', label: [...used].join(), receipts: [] }]
  },
}

it('shows what a protocol reports, and names it where it left something out', async () => {
  const options = { scope, before: undefined, chain: 'solana', log: { warn: () => {} } }
  const found = await readPositions([adapter], { ...options, used: new Set(['other', 'third']) })
  expect(found.positions).toEqual([
    { ...amounts, protocol: 'bank', chain: 'solana', kind: 'lending', label: 'other', receipts: [] },
  ])
  expect(found.gaps).toEqual([{ protocol: 'bank', reason: 'unreadable' }])
})
