import { i18n } from '@lingui/core'
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import { beforeEach, expect, test } from 'vitest'
import { coverageOf, type Status } from './coverage.ts'
import { sync } from './test-transaction.ts'
import type { Coverage } from './transaction.ts'

beforeEach(() => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  i18n.setMessagesCompiler(compileMessageOrThrow)
})

const wallet = '0xAa'
const range = (parts: Partial<Coverage> = {}): Coverage => ({
  address: '0xaa',
  chain: 'base',
  fromBlock: '0',
  toBlock: '999',
  complete: true,
  ...parts,
})
const status = (chains: Status['sync']['chains']): Status => ({
  address: '0xaa',
  portfolioLastSync: null,
  transactionsLastSync: null,
  syncInProgress: true,
  sync: { ...sync('running'), newTransactions: '3', chains },
})
const of = (coverage: Coverage[], statuses: Status[] = []) =>
  coverageOf({ wallets: [wallet], coverage, syncs: [sync('done', '0xaa')], statuses })[0]

test('a wallet that nothing is said of was never searched', () => {
  expect(coverageOf({ wallets: [wallet], coverage: [], syncs: [], statuses: [] })).toEqual([
    { address: wallet, state: 'never', reason: null, advice: null, lastSync: null, newTransactions: '0', chains: [] },
  ])
})

test('the status goes before what the list said, for each chain', () => {
  const running = { state: 'running', reason: null } as const
  const chains = [
    { chain: 'ethereum', ...running, searchedBlocks: '250', totalBlocks: '1000' },
    { chain: 'base', ...running, searchedBlocks: '1000', totalBlocks: '1000' },
    { chain: 'optimism', ...running, searchedBlocks: '0', totalBlocks: null },
  ]
  expect(of([range()], [status(chains)])).toMatchObject({
    state: 'running',
    newTransactions: '3',
    chains: [
      { chain: 'base', share: 1, blocks: '1,000 of 1,000 blocks', gap: null },
      { chain: 'ethereum', share: 0.25, blocks: '250 of 1,000 blocks', gap: 'unfinished' },
      { chain: 'optimism', share: 0, blocks: '0 blocks; the total is unknown', gap: 'unfinished' },
    ],
  })
})

test('what is missing has its reason', () => {
  const gaps = [range(), range({ complete: false }), range({ complete: false, reason: 'pruned' })].map(
    (one) => of([one])?.chains[0]?.gap,
  )
  expect(gaps).toEqual([null, 'incomplete', 'pruned'])
  expect(of([range(), range({ fromBlock: '2000', toBlock: '3000' })])?.chains[0]?.blocks).toBe(
    'blocks 0–999, 2,000–3,000',
  )
})
