import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createAccount } from '../../accounts/accounts.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { createFindProgress } from './sync-progress.ts'
import { createSyncStore } from './sync-store.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let accountId: string
beforeAll(async () => {
  database = await testDatabase('sync_progress')
  const account = { name: 'syncs', plan: 'FREE', entitlements: ['portfolio'], credits: 10 } as const
  accountId = (await createAccount(database.db, account)).id
})
afterAll(() => database.drop())

const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time }
const UNREAD = 'test1unread'
const chainsOf = () => ['base', 'ethereum']

test('says how much of each chain is searched, how fast since it was asked for, and how it ended', async () => {
  const wallet: EvmAddress = `0x${'5'.repeat(40)}`
  const { db } = database
  const [syncs, store] = [createSyncStore(db), createHistoryStore(db)]
  const progress = async () =>
    (await createFindProgress({ db, chainsOf, hasHistory: (each) => each !== UNREAD, clock })([wallet])).get(wallet)
  const search = (fromBlock: bigint, toBlock: bigint) =>
    store.save(
      { wallet, chain: 'ethereum' },
      [],
      { ranges: [{ fromBlock, toBlock }], native: [] },
      async () => undefined,
    )
  const request = () => db.transaction().execute((trx) => syncs.request(trx, { accountId, wallet, now: clock.now() }))

  expect(await progress()).toBeUndefined()
  // Blocks 900 to 999 were searched before anybody asked.
  await search(900n, 999n)
  expect(await request()).toBe('begun')
  const requestedAt = new Date(clock.now()).toISOString()
  clock.time += 10_000
  await search(400n, 899n)
  expect(await progress()).toEqual({
    completedAt: null,
    progress: {
      ...{ state: 'running', reason: null, requestedAt, newTransactions: 0 },
      chains: [
        { chain: 'base', searchedBlocks: '0', totalBlocks: null, blocksPerSecond: '0' },
        { chain: 'ethereum', searchedBlocks: '600', totalBlocks: '1000', blocksPerSecond: '50' },
      ],
    },
  })
  expect(await request()).toBe('running')

  await syncs.end(wallet, { state: 'failed', reason: 'base#1 could not be read', now: clock.now() })
  const failed = await progress()
  expect(failed?.progress).toMatchObject({ state: 'failed', reason: 'base#1 could not be read' })
  expect(failed?.progress.chains[1]).toEqual({ chain: 'ethereum', searchedBlocks: '600', totalBlocks: '1000' })

  expect(await request()).toBe('begun')
  await search(0n, 399n)
  await syncs.end(wallet, { state: 'done', reason: null, now: clock.now() })
  expect(await progress()).toMatchObject({ completedAt: clock.now(), progress: { state: 'done', reason: null } })
  expect(await request()).toBe('fresh')
})

test('says of a wallet of a kind without histories why it never is synced', async () => {
  const find = createFindProgress({
    ...{ db: database.db, chainsOf, hasHistory: (each) => each !== UNREAD, clock },
  })
  const other = `0x${'6'.repeat(40)}`
  const found = await find([UNREAD, other])
  expect(found.get(UNREAD)).toEqual({
    completedAt: null,
    progress: {
      ...{ state: 'never', requestedAt: null, newTransactions: 0, chains: [] },
      reason: 'the transactions of wallets of this kind cannot be read',
    },
  })
  expect(found.has(other)).toBe(false)
})
