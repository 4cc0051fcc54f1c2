import type { SyncProgress } from '@coffer/contract'
import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { accountWith } from '../../../../test/ledger/accounts.ts'
import { syncsOf } from '../../../../test/stored-steps.ts'
import type { Address } from '../../../domain/address.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import { setAside } from './follower.ts'
import { findProgress } from './sync-progress.ts'
import { beginSync, endChain, endSync, findSync, insertRequest } from './sync-store.ts'

const database = await suiteDatabase('sync_progress')
const { db, pool } = database
const accountId = await accountWith(db, 10)

const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time }
const UNREAD = 'test1unread'
const context = syncsOf(db, ['base', 'ethereum'], { clock, hasHistory: (wallet) => wallet !== UNREAD })
const DONE = { state: 'done', reason: null } as const
const running = { state: 'running', reason: null } as const
const stateAndReason = ({ chain, state, reason }: SyncProgress['chains'][number]) => [chain, state, reason]

/** The sync of a new wallet. */
function newSync(digit: number) {
  const wallet: Address = `0x${String(digit).repeat(40)}`
  const save = (chain: string, range: BlockRange, native = [range]) =>
    context.store.save({ wallet, chain }, [], { ranges: [range], native }, async () => undefined)
  return {
    wallet,
    progress: async () => (await findProgress(context, [wallet]))(wallet),
    save,
    request: () => db.transaction().execute((trx) => insertRequest(trx, { accountId, wallet, now: clock.now() })),
    endChain: (chain: string, end: Parameters<typeof endChain>[2]) => endChain(db, { wallet, chain }, end),
    end: (end: Parameters<typeof endSync>[2]) => endSync(db, wallet, end, clock.now()),
  }
}

test('says how much of each chain is searched, how fast since it was asked for, and how it ended', async () => {
  const { progress, save, request, ...sync } = newSync(5)
  expect(await progress()).toEqual({
    completedAt: null,
    progress: {
      ...{ state: 'never', reason: null, requestedAt: null, newTransactions: 0, chains: [] },
      action: 'sync',
      advice: 'No sync was requested yet, so no transaction is listed: call POST /v1/sync-transactions.',
    },
  })
  // Blocks 900 to 999 were searched before the first request.
  await save('ethereum', { fromBlock: 900n, toBlock: 999n })
  expect(await request()).toBe('begun')
  const requestedAt = new Date(clock.now()).toISOString()
  clock.time += 10_000
  await save('ethereum', { fromBlock: 400n, toBlock: 899n })
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
  await sync.endChain('base', unread)
  expect((await progress()).progress.chains.map(stateAndReason)).toEqual([
    ['base', 'failed', 'base#1 could not be read'],
    ['ethereum', 'running', null],
  ])
  await sync.endChain('ethereum', DONE)
  await sync.end(unread)
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
  await save('ethereum', { fromBlock: 0n, toBlock: 399n })
  await sync.end(DONE)
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
  const { wallet, save, request, ...sync } = newSync(7)
  const progress = async () => (await sync.progress()).progress
  for (const chain of ['base', 'ethereum']) await save(chain, { fromBlock: 500n, toBlock: 999n })
  await request()
  const paused = { state: 'paused', reason: 'out of credits' } as const
  await sync.endChain('base', paused)
  await sync.end(paused)
  expect(await progress()).toMatchObject({
    ...{ ...paused, action: 'add-credits' },
    advice: expect.stringContaining('add credits and call POST /v1/sync-transactions'),
    // The end is missing, as for a sync of an older version: it counts as the whole.
    chains: [
      { chain: 'base', ...paused },
      { chain: 'ethereum', state: 'paused', reason: null },
    ],
  })

  await request()
  await sync.end(DONE)
  expect(await progress()).toMatchObject({ action: 'none', advice: null })
  await pool.query(
    `insert into history_gap (wallet, chain, from_block, to_block, reason) values ($1, 'ethereum', 0, 499, 'pruned')`,
    [wallet],
  )
  await setAside(db, { wallet, chain: 'base' }, 'search', 'secret words of a bug')
  expect((await progress()).chains.map(stateAndReason)).toEqual([
    ['base', 'done-with-gaps', 'its new blocks cannot be searched at the moment; the service tries again'],
    ['ethereum', 'done-with-gaps', 'its nodes have pruned the history of some blocks'],
  ])
  await context.store.markReplaced({ wallet, chain: 'base' }, { fromBlock: 700n, toBlock: 999n })
  expect(await progress()).toMatchObject({
    action: 'add-endpoint',
    advice: expect.stringContaining('for base that confirms which chain is right'),
    chains: [{ reason: 'its only endpoint serves a chain without its stored blocks from 700 on' }, {}],
  })
})

test('blocks whose native movements are not all known are a gap, with the endpoint that closes it', async () => {
  const { wallet, progress, save, request, ...sync } = newSync(6)
  const whole = { fromBlock: 0n, toBlock: 999n }
  await save('base', whole)
  await save('ethereum', whole, [
    { fromBlock: 0n, toBlock: 699n },
    { fromBlock: 701n, toBlock: 999n },
  ])
  await request()
  await pool.query('insert into event_stream (account_id, heard_at) values ($1, coffer_now())', [accountId])
  for (const chain of ['base', 'ethereum']) await sync.endChain(chain, DONE)
  await sync.end(DONE)
  const reported = await pool.query("select data from event_outbox where kind = 'sync.ended'")
  expect(reported.rows).toMatchObject([{ data: { address: wallet, state: 'done-with-gaps', reason: null } }])
  expect((await progress()).progress).toMatchObject({
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
  const { wallet, request, ...sync } = newSync(8)
  const failed = { state: 'failed', reason: 'an internal error' } as const
  const ends = async () => (await findSync(db, wallet))?.chain_ends
  expect(await beginSync(db, wallet)).toBe(false)
  await request()
  await sync.endChain('base', DONE)
  await sync.endChain('ethereum', failed)
  expect(await ends()).toEqual({ base: DONE, ethereum: failed })
  expect(await beginSync(db, wallet)).toBe(true)
  expect(await ends()).toEqual({})
  await sync.end(DONE)
  expect(await beginSync(db, wallet)).toBe(false)
})

test('says of a wallet of a kind without histories why it never is synced', async () => {
  expect((await findProgress(context, [UNREAD]))(UNREAD)).toEqual({
    completedAt: null,
    progress: {
      ...{ state: 'never', requestedAt: null, newTransactions: 0, chains: [], action: 'none', advice: null },
      reason: 'transactions of wallets of this type cannot be read',
    },
  })
})
