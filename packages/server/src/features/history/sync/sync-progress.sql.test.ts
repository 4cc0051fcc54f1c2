import type { SyncProgress } from '@coffer/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createAccount } from '../../accounts/accounts.ts'
import { createHistoryStore } from '../store/history-store.ts'
import { createSetAsideStore } from './followed-store.ts'
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
const DONE = { state: 'done', reason: null } as const
const running = { state: 'running', reason: null } as const
const stateAndReason = ({ chain, state, reason }: SyncProgress['chains'][number]) => [chain, state, reason]
const chainsOf = () => ['base', 'ethereum']

test('says how much of each chain is searched, how fast since it was asked for, and how it ended', async () => {
  const wallet: EvmAddress = `0x${'5'.repeat(40)}`
  const { db } = database
  const [syncs, store] = [createSyncStore(db), createHistoryStore(db)]
  const progress = async () =>
    (await createFindProgress({ db, chainsOf, hasHistory: (each) => each !== UNREAD, clock })([wallet]))(wallet)
  const search = (fromBlock: bigint, toBlock: bigint) => {
    const ranges = [{ fromBlock, toBlock }]
    return store.save({ wallet, chain: 'ethereum' }, [], { ranges, native: ranges }, async () => undefined)
  }
  const request = () => db.transaction().execute((trx) => syncs.request(trx, { accountId, wallet, now: clock.now() }))

  expect(await progress()).toEqual({
    completedAt: null,
    progress: {
      ...{ state: 'never', reason: null, requestedAt: null, newTransactions: 0, chains: [] },
      action: 'sync',
      advice: 'No sync was requested yet, so no transaction is listed: call POST /v1/sync-transactions.',
    },
  })
  // Blocks 900 to 999 were searched before the first request.
  await search(900n, 999n)
  expect(await request()).toBe('begun')
  const requestedAt = new Date(clock.now()).toISOString()
  clock.time += 10_000
  await search(400n, 899n)
  expect(await progress()).toEqual({
    completedAt: null,
    progress: {
      ...{
        state: 'running',
        reason: null,
        action: 'wait',
        advice: expect.any(String),
        requestedAt,
        newTransactions: 0,
      },
      chains: [
        { chain: 'base', ...running, searchedBlocks: '0', totalBlocks: null, blocksPerSecond: '0' },
        { chain: 'ethereum', ...running, searchedBlocks: '600', totalBlocks: '1000', blocksPerSecond: '50' },
      ],
    },
  })
  expect(await request()).toBe('running')

  const unread = { state: 'failed', reason: 'base#1 could not be read' } as const
  await syncs.endChain({ wallet, chain: 'base' }, unread)
  expect((await progress()).progress.chains.map(stateAndReason)).toEqual([
    ['base', 'failed', 'base#1 could not be read'],
    ['ethereum', 'running', null],
  ])
  await syncs.endChain({ wallet, chain: 'ethereum' }, DONE)
  await syncs.end(wallet, { ...unread, now: clock.now() })
  const failed = await progress()
  expect(failed.progress).toMatchObject({
    ...unread,
    action: 'sync',
    advice: expect.stringMatching(/^The sync of base ended early\./),
  })
  expect(failed.progress.chains[1]).toEqual({
    ...{ chain: 'ethereum', ...DONE, searchedBlocks: '600', totalBlocks: '1000' },
  })

  expect(await request()).toBe('begun')
  expect((await progress()).progress.chains.map(stateAndReason)).toEqual([
    ['base', 'running', null],
    ['ethereum', 'running', null],
  ])
  await search(0n, 399n)
  await syncs.end(wallet, { state: 'done', reason: null, now: clock.now() })
  expect(await progress()).toMatchObject({
    completedAt: clock.now(),
    progress: {
      ...{ ...DONE, action: 'sync', advice: 'base is not synced yet: call POST /v1/sync-transactions.' },
      chains: [
        { chain: 'base', state: 'never' },
        { chain: 'ethereum', state: 'done' },
      ],
    },
  })
  expect(await request()).toBe('fresh')
})

test('a pause is for want of credits; blocks that no node has, and new ones that fail, are said of their chain', async () => {
  const wallet: EvmAddress = `0x${'7'.repeat(40)}`
  const { db, pool } = database
  const syncs = createSyncStore(db)
  const find = createFindProgress({ db, chainsOf, hasHistory: () => true, clock })
  const progress = async () => (await find([wallet]))(wallet).progress
  const ranges = [{ fromBlock: 500n, toBlock: 999n }]
  const search = { ranges, native: ranges }
  for (const chain of chainsOf()) {
    await createHistoryStore(db).save({ wallet, chain }, [], search, async () => undefined)
  }
  await db.transaction().execute((trx) => syncs.request(trx, { accountId, wallet, now: clock.now() }))
  await syncs.endChain({ wallet, chain: 'base' }, { state: 'paused', reason: 'out of credits' })
  await syncs.end(wallet, { state: 'paused', reason: 'out of credits', now: clock.now() })
  expect(await progress()).toMatchObject({
    ...{ state: 'paused', reason: 'out of credits', action: 'add-credits' },
    advice: expect.stringContaining('add credits and call POST /v1/sync-transactions'),
    // The end is missing, as for a sync of an older version: it counts as the whole.
    chains: [
      { chain: 'base', state: 'paused', reason: 'out of credits' },
      { chain: 'ethereum', state: 'paused', reason: null },
    ],
  })

  await db.transaction().execute((trx) => syncs.request(trx, { accountId, wallet, now: clock.now() }))
  await syncs.end(wallet, { ...DONE, now: clock.now() })
  expect(await progress()).toMatchObject({ action: 'none', advice: null })
  await pool.query(
    `insert into history_gap (wallet, chain, from_block, to_block, reason) values ($1, 'ethereum', 0, 499, 'pruned')`,
    [wallet],
  )
  await createSetAsideStore(db).add({ wallet, chain: 'base' }, 'search', 'secret words of a bug')
  expect((await progress()).chains.map(stateAndReason)).toEqual([
    ['base', 'done-with-gaps', 'its new blocks cannot be searched at the moment; the service tries again'],
    ['ethereum', 'done-with-gaps', 'its nodes have pruned the history of some blocks'],
  ])
  const histories = createHistoryStore(db)
  await histories.markReplaced({ wallet, chain: 'base' }, { fromBlock: 700n, toBlock: 999n })
  expect(await progress()).toMatchObject({
    action: 'add-endpoint',
    advice: expect.stringContaining('for base that confirms which chain is right'),
    chains: [{ reason: 'its only endpoint serves a chain without its stored blocks from 700 on' }, {}],
  })
})

test('blocks whose native movements are not all known are a gap, with the endpoint that closes it', async () => {
  const wallet: EvmAddress = `0x${'6'.repeat(40)}`
  const { db } = database
  const syncs = createSyncStore(db)
  const ranges = [{ fromBlock: 0n, toBlock: 999n }]
  const native = [
    { fromBlock: 0n, toBlock: 699n },
    { fromBlock: 701n, toBlock: 999n },
  ]
  const { save } = createHistoryStore(db)
  await save({ wallet, chain: 'base' }, [], { ranges, native: ranges }, async () => undefined)
  await save({ wallet, chain: 'ethereum' }, [], { ranges, native }, async () => undefined)
  await db.transaction().execute((trx) => syncs.request(trx, { accountId, wallet, now: clock.now() }))
  await database.pool.query('insert into event_stream (account_id, heard_at) values ($1, coffer_now())', [accountId])
  for (const chain of ['base', 'ethereum']) await syncs.endChain({ wallet, chain }, DONE)
  await syncs.end(wallet, { ...DONE, now: clock.now() })
  const told = await database.pool.query("select data from event_outbox where kind = 'sync.ended'")
  expect(told.rows).toMatchObject([{ data: { address: wallet, state: 'done-with-gaps', reason: null } }])
  const find = await createFindProgress({ db, chainsOf, hasHistory: () => true, clock })([wallet])
  expect(find(wallet).progress).toMatchObject({
    ...{ state: 'done-with-gaps', reason: null, action: 'add-endpoint' },
    advice:
      'The operator has to add an endpoint: for ethereum with traces or past states. Then call POST /v1/sync-transactions.',
    chains: [
      { chain: 'base', state: 'done', reason: null },
      {
        ...{ chain: 'ethereum', state: 'done-with-gaps' },
        reason: 'from block 700 on, its nodes do not show every movement of its own coin',
      },
    ],
  })
})

test('a run forgets how chains ended in the one before, and none begins of a sync that has ended', async () => {
  const wallet: EvmAddress = `0x${'8'.repeat(40)}`
  const { db } = database
  const syncs = createSyncStore(db)
  const ends = async () => {
    const row = db.selectFrom('history_sync').select('chain_ends').where('wallet', '=', wallet)
    return (await row.executeTakeFirstOrThrow()).chain_ends
  }
  expect(await syncs.begin(wallet)).toBe(false)
  await db.transaction().execute((trx) => syncs.request(trx, { accountId, wallet, now: clock.now() }))
  await syncs.endChain({ wallet, chain: 'base' }, DONE)
  await syncs.endChain({ wallet, chain: 'ethereum' }, { state: 'failed', reason: 'an internal error' })
  expect(await ends()).toEqual({ base: DONE, ethereum: { state: 'failed', reason: 'an internal error' } })
  expect(await syncs.begin(wallet)).toBe(true)
  expect(await ends()).toEqual({})
  await syncs.end(wallet, { ...DONE, now: clock.now() })
  expect(await syncs.begin(wallet)).toBe(false)
})

test('says of a wallet of a kind without histories why it never is synced', async () => {
  const find = createFindProgress({
    ...{ db: database.db, chainsOf, hasHistory: (each) => each !== UNREAD, clock },
  })
  expect((await find([UNREAD]))(UNREAD)).toEqual({
    completedAt: null,
    progress: {
      ...{ state: 'never', requestedAt: null, newTransactions: 0, chains: [], action: 'none', advice: null },
      reason: 'transactions of wallets of this type cannot be read',
    },
  })
})
